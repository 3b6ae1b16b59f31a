/** The tasks of the document process, and its protocol with the server. */

export const READ_FORMATS = [
  "csv",
  "xlsx",
  "json",
  "xml",
  "html",
  "pdf",
  "text",
  "base64",
] as const;
export type ReadFormat = (typeof READ_FORMATS)[number];

export const WRITE_FORMATS = ["csv", "xlsx", "json", "html", "text", "base64"] as const;
export type WriteFormat = (typeof WRITE_FORMATS)[number];

export interface ReadTask {
  readonly kind: "read";
  readonly format: ReadFormat;
  readonly size: number;
  readonly options: ReadOptions;
}

export interface ReadOptions {
  readonly header?: boolean | undefined;
  readonly separator?: string | undefined;
  readonly encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | undefined;
  readonly sheet?: string | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  /** True to read only the start, limited by `PREVIEW`. */
  readonly isPreview?: boolean | undefined;
}

export interface WriteTask {
  readonly kind: "write";
  readonly format: WriteFormat;
  readonly data: unknown;
  readonly options: WriteOptions;
}

export interface WriteOptions {
  readonly columns?: readonly string[] | undefined;
  readonly header?: boolean | undefined;
  readonly formulas?: "escaped" | "raw" | undefined;
  readonly sheet?: string | undefined;
}

export type DocumentTask = ReadTask | WriteTask;

/** Messages of the server: a part of the file, or the request for the next part of a document. */
export type ToDocumentProcess =
  | { readonly kind: "task"; readonly task: DocumentTask }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "next" };

export type FromDocumentProcess =
  | { readonly kind: "span"; readonly from: number; readonly to: number }
  | { readonly kind: "part"; readonly bytes: Uint8Array }
  | { readonly kind: "done"; readonly value: string }
  | { readonly kind: "failed"; readonly message: string; readonly line?: number };

/** The maximum output of a step, in characters of JSON. */
export const VALUE_CHARACTERS_MAX = 1_000_000;
/** The maximum size of a file that is read as a whole. */
export const WHOLE_BYTES_MAX = 32 * 1024 * 1024;

/** The limits of a preview. */
export const PREVIEW = {
  pages: 20,
  characters: 100_000,
  rows: 100,
  columns: 50,
  cellCharacters: 200,
} as const;

/** A document that can't be read or written. The message is for the workflow's author. */
export class DocumentError extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.name = "DocumentError";
    this.line = line;
  }
}
