import { useEffect, useRef, useState } from "react";
import { call, type Input } from "../../../data/api.ts";
import { describeRefusal } from "../../../data/change.ts";
import type { DroppedFile } from "../dropped-files.ts";
import { count } from "../../../ui/words.ts";
import { type Imported, parseImported } from "../definition-file.ts";
import { findGaps, readN8nExport } from "./export-file.ts";
import { Bindings, type N8nAnswer } from "./import-report.tsx";
import { CheckBox } from "../../../ui/form/controls.tsx";

/** A file and its import preview. */
export interface FolderFile {
  readonly name: string;
  /** An n8n export. */
  readonly workflow?: object;
  /** A workflow definition of this product. */
  readonly definition?: Imported;
  readonly answer?: N8nAnswer;
  readonly problem?: string;
  readonly isChosen: boolean;
  /** The drafts were created. */
  readonly isMade?: boolean;
}

const NO_WORKFLOW = "This is not an n8n or Millrace workflow.";
const A_PACK = "This is a pack. Install it under Packs.";

/** Recognises the content of a file; nothing is sent yet. */
export function readFile({ name, text, problem }: DroppedFile): FolderFile {
  if (problem !== undefined) return { name, problem, isChosen: false };
  const workflow = readN8nExport(text);
  if (workflow) return { name, workflow, isChosen: false };
  try {
    return { name, definition: parseImported(text), isChosen: true };
  } catch {
    const isPack = /^\s*\{[^]*"resources"\s*:/.test(text);
    return { name, problem: isPack ? A_PACK : NO_WORKFLOW, isChosen: false };
  }
}

/** Converts files in sequence. Files without missing steps are preselected. */
export function useFolder(files: readonly DroppedFile[]) {
  const [rows, setRows] = useState<readonly FolderFile[]>([]);
  useEffect(() => {
    let isOver = false;
    const change = (at: number, more: Partial<FolderFile>): void =>
      setRows((all) => all.map((row, index) => (index === at ? { ...row, ...more } : row)));
    const convertAll = async (): Promise<void> => {
      const read = files.map(readFile);
      setRows(read);
      for (const [at, { workflow }] of read.entries()) {
        if (isOver) return;
        if (workflow === undefined) continue;
        try {
          const { data } = await call("workflows.import", {
            body: { format: "n8n", workflow },
          } as Input<"workflows.import">);
          const isWhole = findGaps(data).missing.length === 0;
          if (!isOver) change(at, { answer: data, isChosen: isWhole });
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

type Binding = N8nAnswer["bindings"][number];
type AnsweredFile = Pick<FolderFile, "name" | "answer">;

/** Returns the choice id. A connector choice applies to all files, a text choice to a single node. */
const choiceId = (fileName: string, { id, kind }: Binding): string =>
  kind === "text" ? `${fileName} ${id}` : id;

/** Merges the choices of several exports without duplicates. */
export function joinBindings(files: readonly AnsweredFile[]): readonly Binding[] {
  const byId = new Map<string, Binding>();
  for (const { name, answer } of files) {
    for (const one of answer?.bindings ?? []) {
      const id = choiceId(name, one);
      const known = byId.get(id);
      const usedBy = [...new Set([...(known?.usedBy ?? []), ...one.usedBy])];
      const title = one.kind === "text" ? `${name}, ${one.title}` : one.title;
      byId.set(id, { ...one, id, title, usedBy });
    }
  }
  return [...byId.values()];
}

/** Returns the choices that apply to one file. */
export function choicesFor(
  { name, answer }: AnsweredFile,
  chosen: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const own = (answer?.bindings ?? []).flatMap((one) => {
    const value = chosen[choiceId(name, one)];
    return value === undefined ? [] : [[one.id, value] as const];
  });
  return Object.fromEntries(own);
}

/** Previews the files of a folder. The user selects files to import. */
export function N8nFolder(props: {
  readonly folder: ReturnType<typeof useFolder>;
  readonly bound: Readonly<Record<string, string>>;
  readonly onBind: (id: string, value: string) => void;
}) {
  const { folder, bound, onBind } = props;
  const { rows, chosen, toggle } = folder;
  const done = rows.filter(
    ({ workflow, answer, problem }) => !workflow || answer !== undefined || problem !== undefined,
  ).length;
  const bindings = joinBindings(chosen);
  const status = useRef<HTMLParagraphElement>(null);
  // The file field was removed, so focus moves here.
  useEffect(() => {
    if (document.activeElement === document.body) status.current?.focus();
  }, []);
  return (
    <div className="n8n-import">
      <p ref={status} role="status" tabIndex={-1}>
        {done < rows.length
          ? `Read ${done} of ${rows.length} files.`
          : `${count(rows.length, "file")}. ${chosen.length} will be imported as drafts.`}
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
  const { name, answer, definition, isChosen, isMade } = props.row;
  const missing = answer && findGaps(answer).missing;
  return (
    <li className="n8n-file">
      <label>
        <CheckBox
          checked={isChosen}
          disabled={(!answer && !definition) || isMade}
          onChange={props.onToggle}
        />
        <strong>{name}</strong>
        <span className="muted">{describe(props.row)}</span>
      </label>
      {missing && missing.length > 0 && (
        <details>
          <summary>Missing steps</summary>
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

function describe({ answer, definition, problem, isMade }: FolderFile): string {
  if (isMade === true) return "imported as a draft";
  if (problem !== undefined) return problem;
  if (definition) return `Millrace workflow, ${count(definition.nodes.length, "step")}`;
  if (!answer) return "…";
  const { converted, approximated } = answer.counts;
  const { missing, open } = findGaps(answer);
  const parts: readonly (readonly [number, string])[] = [
    [converted, "converted"],
    [approximated, "approximated"],
    [missing.length, "missing"],
    [open.length, "to select below"],
  ];
  return parts.flatMap(([n, word]) => (n === 0 ? [] : `${n} ${word}`)).join(", ");
}
