/** Starts an import with a file upload; the server parses the file. */
import "../table-page.css";
import "./import.css";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useRef, useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { uploadFile } from "../../data/files/files.ts";
import { useWork } from "../../data/use-command.ts";
import { useTitle } from "../../shell/title.ts";
import { Ago } from "../../ui/time.tsx";
import { count, toWords } from "../../ui/words.ts";
import { Button } from "../../ui/form/button.tsx";
import { FileInput } from "../../ui/form/controls.tsx";

/** Imports into an existing table. */
export function TableImport() {
  const { slug } = useParams({ from: "/inside/tables/$slug/import" });
  const table = useOp("tables.get", { params: { slug } }).data?.data;
  useTitle(table && `Import into ${table.name}`);
  return <ImportStart slug={slug} name={table?.name ?? slug} />;
}

/** Imports into a new table. */
export function NewImport() {
  useTitle("New table from file");
  return <ImportStart slug={undefined} name={undefined} />;
}

interface ImportStartProps {
  readonly slug: string | undefined;
  readonly name: string | undefined;
}

function ImportStart({ slug, name }: ImportStartProps) {
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState<string>();
  const { run, isBusy, refusal } = useWork(slug === undefined ? "tables.create" : "imports.create");
  const take = async (file: File | undefined): Promise<void> => {
    if (!file || isBusy || refusal !== undefined) return;
    setSent(file.name);
    await run(async () => {
      const { id: fileId } = await uploadFile(file);
      const about = { fileId, name: file.name, ...(slug !== undefined && { table: slug }) };
      const { data } = await call("imports.create", { body: about });
      await navigate({ to: "/imports/$importId", params: { importId: data.id } });
    });
  };
  return (
    <div className="page paper">
      <header className="page-head">
        <h1 className="cut">
          {slug === undefined ? (
            <Link to="/tables">Tables</Link>
          ) : (
            <Link to="/tables/$slug" params={{ slug }}>
              {name}
            </Link>
          )}
          <span className="muted"> / {slug === undefined ? "From file" : "Import"}</span>
        </h1>
      </header>
      <div className="import-body scroll">
        <div
          className="import-drop"
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            void take(event.dataTransfer.files[0]);
          }}
        >
          <Upload className="ico" />
          <strong>{isBusy ? `Uploading ${sent ?? ""}…` : "Drop a file here"}</strong>
          <p className="muted">
            CSV, XLSX or JSON, up to 2,000,000 rows. Separator and encoding are detected. You review
            the data before it is imported.
          </p>
          <FileInput
            ref={field}
            className="sr-only"
            aria-label="File to import"
            tabIndex={-1}
            accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson"
            onChange={({ target }) => {
              void take(target.files?.[0]);
              // Allows choosing this file again after an error.
              target.value = "";
            }}
          />
          <Button
            look="main"
            type="button"
            refusal={refusal}
            disabled={isBusy}
            onClick={() => field.current?.click()}
          >
            Select file…
          </Button>
        </div>
        <PastImports slug={slug} />
      </div>
    </div>
  );
}

/** Past imports: users can open, continue or roll back each. */
function PastImports({ slug }: { readonly slug: string | undefined }) {
  const query = { limit: 20, ...(slug !== undefined && { table: slug }) };
  const past = useOp("imports.list", { query }).data?.data ?? [];
  if (past.length === 0) return null;
  return (
    <section className="import-past">
      <h2>Previous imports</h2>
      <ul>
        {past.map(({ id, name, state, lines, createdAt }) => (
          <li key={id}>
            <Link to="/imports/$importId" params={{ importId: id }} className="cut grow">
              {name}
            </Link>
            <span className="muted">{lines === null ? "" : count(lines, "row")}</span>
            <span>{toWords(state)}</span>
            <Ago at={createdAt} />
          </li>
        ))}
      </ul>
    </section>
  );
}
