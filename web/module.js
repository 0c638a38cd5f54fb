// @ts-check
/** The script as an ES module: import { load } from "pagewarden"; and what declares a contract, which needs no runtime. */
export { load } from "./shim.js";
export {
  actionContract, defineAgentComponentContract, defineAgentProcedureContract, defineExternalAgentToolContract, emptyObjectSchema, fromJsonSchema,
  observationContract,
} from "./shim/contracts.js";
