import { useEffect, useRef, useState } from "react";
import { call, type Input } from "../../../data/api.ts";
import { describeRefusal } from "../../../data/change.ts";
import type { DroppedFile } from "../dropped-files.ts";
import { count } from "../../../ui/words.ts";
import { readN8nExport } from "./export-file.ts";
import { Bindings, type N8nAnswer } from "./import-report.tsx";

/** A file of a folder, and what would become of it. */
export interface FolderFile {
  readonly name: string;
  readonly workflow: object | undefined;
  readonly answer?: N8nAnswer;
  readonly problem?: string;
  readonly isChosen: boolean;
  /** Its drafts are there. */
  readonly isMade?: boolean;
}

const NO_EXPORT = "It is no export of n8n.";

/** The files of a folder, converted one after the other; those without a missing step are chosen. */
export function useFolder(files: readonly DroppedFile[]) {
  const [rows, setRows] = useState<readonly FolderFile[]>([]);
  useEffect(() => {
    let isOver = false;
    const change = (at: number, more: Partial<FolderFile>): void =>
      setRows((all) => all.map((row, index) => (index === at ? { ...row, ...more } : row)));
    const convertAll = async (): Promise<void> => {
      const read = files.map(({ name, text, problem }) => {
        const workflow = readN8nExport(text);
        const why = problem ?? (workflow === undefined ? NO_EXPORT : undefined);
        return { name, workflow, isChosen: false, ...(why !== undefined && { problem: why }) };
      });
      setRows(read);
      for (const [at, { workflow }] of read.entries()) {
        if (isOver) return;
        if (workflow === undefined) continue;
        try {
          const { data } = await call("workflows.import", {
            body: { format: "n8n", workflow },
          } as Input<"workflows.import">);
          if (!isOver) change(at, { answer: data, isChosen: data.counts.placeholder === 0 });
        } catch (error) {
          if (!isOver) change(at, { problem: describeRefusal(error) });
        }
      }
    };
    void convertAll();
    return () => {
      isOver = true;
    };
  }, [files]);
  const toggle = (name: string): void =>
    setRows((all) =>
      all.map((row) => (row.name === name ? { ...row, isChosen: !row.isChosen } : row)),
    );
  const settle = (name: string, more: Partial<FolderFile>): void =>
    setRows((all) => all.map((row) => (row.name === name ? { ...row, ...more } : row)));
  return { rows, toggle, settle, chosen: rows.filter(({ isChosen }) => isChosen) };
}

/** The choices of several exports: each is asked for once. */
export function joinBindings(answers: readonly N8nAnswer[]): N8nAnswer["bindings"] {
  const byId = new Map<string, N8nAnswer["bindings"][number]>();
  for (const one of answers.flatMap(({ bindings }) => bindings)) {
    const known = byId.get(one.id);
    const usedBy = [...new Set([...(known?.usedBy ?? []), ...one.usedBy])];
    byId.set(one.id, { ...one, usedBy });
  }
  return [...byId.values()];
}

/** A report for each file of a folder, of which some are imported. */
export function N8nFolder(props: {
  readonly folder: ReturnType<typeof useFolder>;
  readonly bound: Readonly<Record<string, string>>;
  readonly onBind: (id: string, value: string) => void;
}) {
  const { folder, bound, onBind } = props;
  const { rows, chosen, toggle } = folder;
  const done = rows.filter(
    ({ answer, problem }) => answer !== undefined || problem !== undefined,
  ).length;
  const bindings = joinBindings(chosen.flatMap(({ answer }) => answer ?? []));
  const status = useRef<HTMLParagraphElement>(null);
  // The field that the files were chosen with is gone: the keyboard goes on here.
  useEffect(() => {
    if (document.activeElement === document.body) status.current?.focus();
  }, []);
  return (
    <div className="n8n-import">
      <p ref={status} role="status" tabIndex={-1}>
        {done < rows.length
          ? `Read ${done} of ${rows.length} files.`
          : `${count(rows.length, "file")}, of which ${chosen.length} will be imported as drafts.`}
      </p>
      <ul className="n8n-files" aria-label="Files">
        {rows.map((row) => (
          <FileRow key={row.name} row={row} onToggle={() => toggle(row.name)} />
        ))}
      </ul>
      <Bindings bindings={bindings} chosen={bound} onChoose={onBind} />
    </div>
  );
}

function FileRow(props: { readonly row: FolderFile; readonly onToggle: () => void }) {
  const { name, answer, isChosen, isMade } = props.row;
  const missing = answer?.workflows
    .flatMap(({ report }) => report)
    .filter(({ status }) => status === "placeholder");
  return (
    <li className="n8n-file">
      <label>
        <input
          type="checkbox"
          checked={isChosen}
          disabled={answer === undefined || isMade}
          onChange={props.onToggle}
        />
        <strong>{name}</strong>
        <span className="muted">{describe(props.row)}</span>
      </label>
      {missing && missing.length > 0 && (
        <details>
          <summary>What is missing</summary>
          <ul>
            {missing.map(({ node, reasons }) => (
              <li key={node}>
                {node}: {reasons.join("; ")}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function describe({ answer, problem, isMade }: FolderFile): string {
  if (isMade === true) return "imported, as a draft";
  if (problem !== undefined) return problem;
  if (!answer) return "…";
  const { converted, approximated, placeholder } = answer.counts;
  return `as it was ${converted}, nearly ${approximated}, missing ${placeholder}`;
}
