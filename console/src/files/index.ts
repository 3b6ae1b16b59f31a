export { FileName } from "./file-name.tsx";
export { kindOf, type NamedFile } from "./preview-kind.ts";
