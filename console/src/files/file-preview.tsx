import "./file-preview.css";
import { Download } from "lucide-react";
import type { ReactNode } from "react";
import { useOp } from "../data/api.ts";
import { type FileHead, HEAD_BYTES, useFileHead } from "../data/files/file-head.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Json } from "../ui/json/json.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { type Cells, guessSeparator, parseCells } from "../ui/readable/cells.ts";
import { count, toSize } from "../ui/words.ts";
import type { NamedFile, PreviewKind } from "./preview-kind.ts";

const ROWS_MAX = 200;
const COLUMNS_MAX = 50;

interface FilePreviewProps {
  readonly file: NamedFile;
  readonly kind: PreviewKind;
  readonly link: string;
  readonly onClose: () => void;
}

/** Previews the beginning of a file as text. Markup and scripts are never executed. */
export function FilePreview({ file, kind, link, onClose }: FilePreviewProps) {
  return (
    <Dialog
      title={file.name}
      isWide
      onClose={onClose}
      footer={
        <a className="btn" href={`${link}?download=true`} download={file.name}>
          <Download className="ico" /> Download
        </a>
      }
    >
      {kind === "document" ? (
        <DocumentLook file={file} />
      ) : (
        <TextLook file={file} kind={kind === "picture" ? "text" : kind} />
      )}
    </Dialog>
  );
}

function TextLook({
  file,
  kind,
}: {
  readonly file: NamedFile;
  readonly kind: "table" | "json" | "text";
}) {
  const { data, error, refetch } = useFileHead(file.id);
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={6} />;
  const { text, size } = data;
  const isCut = size > HEAD_BYTES;
  return (
    <Look file={file} size={size} note={isCut && `first ${toSize(HEAD_BYTES)} shown`}>
      {size === 0 ? (
        <p className="muted">The file is empty.</p>
      ) : text === undefined ? (
        <p className="muted">No preview available: this is not a text file. Download it instead.</p>
      ) : kind === "table" ? (
        <CellTable cells={parseHead(text, isCut)} label={file.name} />
      ) : (
        <TextOrTree {...{ text, kind, isCut }} label={file.name} />
      )}
    </Look>
  );
}

/** The last line of a truncated text may be incomplete. */
function parseHead(text: string, isCut: boolean): Cells {
  const clean = text.replace(/^\uFEFF/, "");
  const whole = isCut ? clean.slice(0, clean.lastIndexOf("\n") + 1) || clean : clean;
  return parseCells(whole.replace(/\r?\n$/, ""), guessSeparator(whole));
}

interface TextOrTreeProps {
  readonly text: NonNullable<FileHead["text"]>;
  readonly kind: "json" | "text";
  readonly isCut: boolean;
  readonly label: string;
}

function TextOrTree({ text, kind, isCut, label }: TextOrTreeProps) {
  const value = kind === "json" && !isCut ? parseJson(text) : undefined;
  if (value !== undefined) return <Json value={value} label={label} />;
  return (
    <pre className="file-text" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function DocumentLook({ file }: { readonly file: NamedFile }) {
  const { data, error, refetch } = useOp(
    "files.preview",
    { params: { id: file.id } },
    { staleTime: Infinity },
  );
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Loading rows={6} />;
  const { pages, rows, more } = data.data;
  if (rows) {
    return (
      <Look
        file={file}
        note={more && `first ${count(rows.length, "row")} of the first sheet shown`}
      >
        <CellTable cells={rows} label={file.name} />
      </Look>
    );
  }
  const shown = pages ?? [];
  const hasWords = shown.some((words) => words.trim() !== "");
  const part = more ? `text of the first ${count(shown.length, "page")}` : "text only";
  return (
    <Look file={file} note={hasWords && part}>
      {hasWords ? (
        <div className="file-pages" tabIndex={0} role="region" aria-label={file.name}>
          {shown.map((words, n) => (
            <section key={n} aria-label={`Page ${n + 1}`}>
              <span className="muted">{n + 1}</span>
              <p>{words.trim() === "" ? <em className="muted">No text on this page</em> : words}</p>
            </section>
          ))}
        </div>
      ) : (
        <p className="muted">
          No text found, for example because the pages are scanned. Download the file instead.
        </p>
      )}
    </Look>
  );
}

/** The preview below the file's name and type. */
function Look(props: {
  readonly file: NamedFile;
  /** The size from the server: the size in a step's output is not trusted. */
  readonly size?: number;
  readonly note: string | false;
  readonly children: ReactNode;
}) {
  const { file, size = file.size, note } = props;
  return (
    <>
      <p className="muted file-facts">
        {[file.mediaType, toSize(size), note].filter(Boolean).join(" · ")}
      </p>
      {props.children}
    </>
  );
}

function CellTable({ cells, label }: { readonly cells: Cells; readonly label: string }) {
  const [head = [], ...rest] = cells;
  const rows = rest.slice(0, ROWS_MAX);
  const width = Math.max(head.length, ...rows.map((row) => row.length));
  const columns = Array.from({ length: Math.min(COLUMNS_MAX, width) }, (_, n) => n);
  const hidden = [
    rest.length > rows.length && count(rest.length - rows.length, "more row"),
    width > columns.length && count(width - columns.length, "more column"),
  ].filter(Boolean);
  if (cells.length === 0) return <p className="muted">The file has no cells.</p>;
  return (
    <>
      <div className="file-cells" tabIndex={0} role="region" aria-label={label}>
        <table>
          <caption className="hide">{label}</caption>
          <thead>
            <tr>
              {columns.map((n) => (
                <th key={n} scope="col">
                  {head[n]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <tr key={at}>
                {columns.map((n) => (
                  <td key={n}>{row[n]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hidden.length > 0 && <p className="muted">Not shown: {hidden.join(", ")}.</p>}
    </>
  );
}
