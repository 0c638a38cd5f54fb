// The server's JSON API.

/**
 * @typedef {object} Device
 * @property {string} id
 * @property {string} name
 * @property {"online" | "offline" | "maintenance"} status
 * @property {string} city
 * @property {string} firmware
 * @property {string} lastSeen ISO 8601
 * @property {boolean} enabled
 * @property {string} [disabledReason]
 * @property {number} version
 * @property {boolean} [pending] whether the name is not the server's yet
 */

/**
 * @typedef {object} Api
 * @property {() => Promise<Device[]>} list
 * @property {(ids: string[], reason?: string, signal?: AbortSignal) => Promise<Device[]>} disable
 * @property {(ids: string[]) => Promise<Device[]>} enable
 * @property {(id: string, name: string, version: number, signal?: AbortSignal) => Promise<Device>} rename
 */

/** A refusal by the server, or no answer from it. */
export class ApiError extends Error {
  /**
   * @param {string} code the server's code, or "network"
   * @param {string} message for people
   * @param {number} status HTTP status, 0 without an answer
   * @param {string} [field] path of the input at fault
   */
  constructor(code, message, status, field) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
    this.field = field;
  }
}

/** @returns {Api} */
export function createApi() {
  return {
    list: async () => (await send("/api/devices")).devices,
    disable: async (ids, reason, signal) =>
      (await send("/api/devices/disable", reason ? { ids, reason } : { ids }, signal)).devices,
    enable: async (ids) => (await send("/api/devices/enable", { ids })).devices,
    rename: async (id, name, version, signal) =>
      (await send(`/api/devices/${encodeURIComponent(id)}/rename`, { name, version }, signal)).device,
  };
}

/**
 * Sends one request; rejects with an ApiError when the server refuses it or cannot be reached.
 * @param {string} path
 * @param {object} [body] given for a write
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function send(path, body, signal) {
  const response = await request(path, body, signal);
  const content = await response.json().catch(() => undefined);
  if (response.ok && content) return content;
  const error = content?.error;
  throw new ApiError(
    error?.code ?? "internal",
    error?.message ?? `The server answered with status ${response.status}.`,
    response.status,
    error?.field,
  );
}

/**
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 */
async function request(path, body, signal) {
  /** @type {RequestInit} */
  const options = body
    ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }
    : {};
  try {
    return await fetch(path, { ...options, signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError("network", "The server cannot be reached.", 0);
  }
}
