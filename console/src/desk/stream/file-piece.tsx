import { FileText } from "lucide-react";
import type { Ticket } from "../ticket-kind.ts";
import type { FiledFile } from "./moments.ts";

const KIB = 1_024;

/** `12 KB`, `3.4 MB`. */
export function toSize(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  if (bytes < KIB * KIB) return `${Math.round(bytes / KIB)} KB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MB`;
}

/** A file of a ticket. */
export function FilePiece({ file }: { readonly file: FiledFile; readonly ticket: Ticket }) {
  return (
    <span className="file-piece">
      <FileText className="ico" aria-hidden="true" />
      <span className="cut">{file.name}</span>
      <span className="muted">{toSize(file.bytes)}</span>
    </span>
  );
}
