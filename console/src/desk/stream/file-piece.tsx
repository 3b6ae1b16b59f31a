import { FileText } from "lucide-react";
import { useFileLink } from "../../data/files/files.ts";
import { toSize } from "../../ui/words.ts";
import type { FiledFile } from "./moments.ts";

const isPicture = ({ name, type }: FiledFile): boolean =>
  type === undefined
    ? /\.(png|jpe?g|gif|webp)$/i.test(name)
    : /^image\/(png|jpeg|gif|webp)$/.test(type);

/** A file of a ticket: pictures are seen, others named. */
export function FilePiece({ file }: { readonly file: FiledFile }) {
  const link = useFileLink(file.fileId);
  if (link !== undefined && isPicture(file)) {
    return (
      <a className="file-picture" href={link} target="_blank" rel="noreferrer" title={file.name}>
        <img src={link} alt={file.name} loading="lazy" />
      </a>
    );
  }
  const words = (
    <>
      <FileText className="ico" aria-hidden="true" />
      <span className="cut">{file.name}</span>
      <span className="muted">{toSize(file.bytes)}</span>
    </>
  );
  if (link === undefined) return <span className="file-piece">{words}</span>;
  return (
    <a className="file-piece" href={link} target="_blank" rel="noreferrer" download={file.name}>
      {words}
    </a>
  );
}
