import "./file-chips.css";
import { Download, File, FileSpreadsheet, FileText, Image } from "lucide-react";
import { useState } from "react";
import { type FileHandle, listHandles } from "../../ui/readable/file-handle.ts";
import { useFileLink } from "../../data/files/files.ts";
import { toSize } from "../../ui/words.ts";

/** The files that a value names: what each is, how large, a look at it, and the way to it. */
export function FileChips({ value }: { readonly value: unknown }) {
  const files = listHandles(value);
  if (files.length === 0) return null;
  return (
    <ul className="file-chips" aria-label="Files">
      {files.map((file) => (
        <FileChip key={file.$file} file={file} />
      ))}
    </ul>
  );
}

function FileChip({ file }: { readonly file: FileHandle }) {
  const [isGone, setGone] = useState(false);
  const link = useFileLink(file.$file);
  const Icon = iconOf(file);
  const isPicture = /^image\/(png|jpeg|gif|webp|avif)$/.test(file.mediaType);
  return (
    <li className="file-chip">
      {isPicture && link !== undefined && !isGone && (
        <a href={link} target="_blank" rel="noreferrer" title={`Look at ${file.name}`}>
          <img
            src={`${link}?edge=320`}
            alt={file.name}
            loading="lazy"
            onError={() => setGone(true)}
          />
        </a>
      )}
      <div className="file-chip-words">
        <Icon className="ico" aria-hidden="true" />
        {link === undefined ? (
          <span className="cut grow">{file.name}</span>
        ) : (
          <a className="cut grow" href={link} target="_blank" rel="noreferrer">
            {file.name}
          </a>
        )}
        <span className="muted" title={file.mediaType}>
          {toSize(file.size)}
        </span>
        {link !== undefined && (
          <a
            className="btn bare icon"
            href={`${link}?download=true`}
            aria-label={`Download ${file.name}`}
            title="Download"
            download={file.name}
          >
            <Download />
          </a>
        )}
      </div>
    </li>
  );
}

function iconOf({ mediaType }: FileHandle) {
  if (mediaType.startsWith("image/")) return Image;
  if (/spreadsheet|csv/.test(mediaType)) return FileSpreadsheet;
  return mediaType.startsWith("text/") || mediaType === "application/pdf" ? FileText : File;
}
