/** A style sheet as the build puts it into the script: its text, made small. */
declare module "*.css" {
  const text: string;
  export default text;
}
