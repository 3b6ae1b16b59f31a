import { FileText } from "lucide-react";
import { useFileLink } from "../../data/files/files.ts";
import { FileName, kindOf } from "../../files/index.ts";
import { toSize } from "../../ui/words.ts";
import type { FiledFile } from "./moments.ts";

/** A file of a ticket: images as thumbnails, others by name. */
export function FilePiece({ file }: { readonly file: FiledFile }) {
  const link = useFileLink(file.fileId);
  const named = {
    id: file.fileId ?? "",
    name: file.name,
    mediaType: file.type ?? guessType(file.name),
    size: file.bytes,
  };
  if (link !== undefined && kindOf(named) === "picture") {
    return (
      <a className="file-picture" href={link} target="_blank" rel="noreferrer" title={file.name}>
        <img src={link} alt={file.name} loading="lazy" />
      </a>
    );
  }
  return (
    <FileName file={named} link={link} className="file-piece">
      <FileText className="ico" aria-hidden="true" />
      <span className="cut">{file.name}</span>
      <span className="muted">{toSize(file.bytes)}</span>
    </FileName>
  );
}

/** Old files have no stored type, so it is guessed from the name. */
function guessType(name: string): string {
  const ending = /\.(png|jpe?g|gif|webp|pdf)$/i
    .exec(name)?.[1]
    ?.toLowerCase()
    .replace("jpg", "jpeg");
  if (ending === undefined) return "";
  return ending === "pdf" ? "application/pdf" : `image/${ending}`;
}
