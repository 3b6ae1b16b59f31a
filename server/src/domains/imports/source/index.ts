export { decodeText, detectEncoding, ENCODINGS } from "./charset.ts";
export { openSource } from "./open-source.ts";
export { type Cell, SourceError } from "./source-row.ts";
export { type RandomAccess, ZipFile } from "./zip.ts";
