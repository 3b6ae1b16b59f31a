/** Limits of a single script. All sizes of text are in characters. */
export const SCRIPT_LIMITS = {
  sourceMax: 256 * 1024,
  /** A script and its modules together. */
  modulesMax: 50,
  programMax: 1024 * 1024,
  inputMax: 4 * 1024 * 1024,
  outputMax: 1024 * 1024,
  /** Of a JSON value: deeper nesting others could not handle. */
  depthMax: 200,
  callsMax: 1_000,
  /** The arguments of one host call. */
  callMax: 1024 * 1024,
  /** The answer of one host call. */
  answerMax: 4 * 1024 * 1024,
  /** The arguments and answers of all its host calls together. */
  trafficMax: 32 * 1024 * 1024,
  /** The arguments and answers of its calls for the bytes of files, in base64. */
  fileTrafficMax: 512 * 1024 * 1024,
  /** The bytes of a file that one call carries. */
  filePartBytes: 384 * 1024,
  callsAtATime: 8,
  /** Log entries, messages and changes of the interface together. */
  notesMax: 1_000,
  notesSizeMax: 256 * 1024,
  /** Timers that it ever sets. */
  timersMax: 10_000,
  definitionMax: 64 * 1024,
} as const;

export const TIMEOUT_MS = { usual: 30_000, max: 300_000, inspection: 5_000 } as const;
export const MEMORY_MB = { usual: 64, min: 16, max: 256 } as const;
