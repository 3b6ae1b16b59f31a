/** Limits of a single script. All text sizes are in characters. */
export const SCRIPT_LIMITS = {
  sourceMax: 256 * 1024,
  /** Modules per script. */
  modulesMax: 50,
  programMax: 1024 * 1024,
  inputMax: 4 * 1024 * 1024,
  outputMax: 1024 * 1024,
  /** The nesting of a JSON value. Other code could not handle more. */
  depthMax: 200,
  callsMax: 1_000,
  /** The arguments of one host call. */
  callMax: 1024 * 1024,
  /** The response of one host call. */
  answerMax: 4 * 1024 * 1024,
  /** The arguments and responses of all host calls together. */
  trafficMax: 32 * 1024 * 1024,
  /** The arguments and responses of calls for file content, in base64. */
  fileTrafficMax: 512 * 1024 * 1024,
  /** Bytes of a file per call. */
  filePartBytes: 384 * 1024,
  callsAtATime: 8,
  /** Log entries, messages and UI changes together. */
  notesMax: 1_000,
  notesSizeMax: 256 * 1024,
  /** The total number of timers. */
  timersMax: 10_000,
  definitionMax: 64 * 1024,
} as const;

export const TIMEOUT_MS = { usual: 30_000, max: 300_000, inspection: 5_000 } as const;
export const MEMORY_MB = { usual: 64, min: 16, max: 256 } as const;
