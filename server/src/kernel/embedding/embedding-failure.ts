/** Why a text has no vector: the line is full, it took too long, or the process ended. */
export class EmbeddingFailure extends Error {
  readonly code: "busy" | "timeout" | "ended";

  constructor(code: EmbeddingFailure["code"], message: string) {
    super(message);
    this.name = "EmbeddingFailure";
    this.code = code;
  }
}
