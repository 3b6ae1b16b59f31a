import "./file-chips.css";
import { Download, File, FileSpreadsheet, FileText, Image } from "lucide-react";
import { useState } from "react";
import { type FileHandle, listHandles } from "../../ui/readable/file-handle.ts";
import { useFileAddress } from "../../data/files/files.ts";
import { FileName, kindOf } from "../../files/index.ts";
import { toSize } from "../../ui/words.ts";

/** The files in a value: type, size, preview and link. */
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
  const [isBroken, setBroken] = useState(false);
  const { link, isGone } = useFileAddress(file.$file);
  const Icon = iconOf(file);
  return (
    <li className="file-chip">
      {kindOf(file) === "picture" && link !== undefined && !isBroken && (
        <a href={link} target="_blank" rel="noreferrer" title={`Open ${file.name}`}>
          <img
            src={`${link}?edge=320`}
            alt={file.name}
            loading="lazy"
            onError={() => setBroken(true)}
          />
        </a>
      )}
      <div className="file-chip-words">
        <Icon className="ico" aria-hidden="true" />
        <FileName file={{ ...file, id: file.$file }} link={link} className="cut grow">
          {file.name}
        </FileName>
        <span className="muted" title={file.mediaType}>
          {isGone ? "deleted" : toSize(file.size)}
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
