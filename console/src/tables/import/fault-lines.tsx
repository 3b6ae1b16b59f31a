import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { describeFault } from "../../data/error-words.ts";
import { useCommand } from "../../data/use-command.ts";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { asText } from "../column/value.ts";
import type { Import } from "./import-map.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

type Line = Schemas["ImportLine"];

const SHOWN = 50;

interface FaultLinesProps {
  readonly current: Import;
  readonly invalid: number;
}

/** The lines with errors; users can correct each cell. */
export function FaultLines({ current, invalid }: FaultLinesProps) {
  const { id, columns } = current;
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const { data, error } = useOp("imports.list_lines", { params: { id }, query: { limit: SHOWN } });
  const lines = data?.data ?? [];
  const changed = lines.filter(({ line, cells }) =>
    cells.some((_, at) => texts[`${line} ${at}`] !== undefined),
  );
  const correct = useCommand("imports.correct_lines", { onDone: () => setTexts({}) });
  const refusal = correct.refusal ?? (changed.length === 0 ? "No line is corrected." : undefined);
  const send = async (): Promise<void> => {
    const corrected = changed.map(({ line, cells }) => ({
      line,
      cells: cells.map(
        (cell, at) => texts[`${line} ${at}`] ?? (cell === null ? null : asText(cell)),
      ),
    }));
    await correct.run({ params: { id }, body: { lines: corrected } });
  };
  if (error) return <ErrorNotice error={error} />;
  return (
    <section className="import-lines" aria-label="Rows with errors">
      <h2>{count(invalid, "row")} can't be imported</h2>
      <div className="import-columns scroll" tabIndex={0} role="group" aria-label="Rows to correct">
        <table>
          <thead>
            <tr>
              <th scope="col">Row</th>
              {columns.map(({ header }, at) => (
                <th key={at} scope="col">
                  {header}
                </th>
              ))}
              <th scope="col">Error</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <FaultLine
                key={line.line}
                line={line}
                headers={columns.map(({ header }) => header)}
                titleOf={(field) => titleOfField(current, field)}
                texts={texts}
                onText={(at, text) => setTexts({ ...texts, [`${line.line} ${at}`]: text })}
              />
            ))}
          </tbody>
        </table>
      </div>
      {invalid > lines.length && lines.length > 0 && (
        <p className="muted">
          Only the first {lines.length} rows are shown. Correct them to see the next ones.
        </p>
      )}
      <CommandButton command={{ ...correct, refusal }} onPress={() => void send()}>
        Save {count(changed.length, "corrected row")}
      </CommandButton>
    </section>
  );
}

interface FaultLineProps {
  readonly line: Line;
  readonly headers: readonly string[];
  readonly titleOf: (field: string) => string | undefined;
  readonly texts: Readonly<Record<string, string>>;
  readonly onText: (at: number, text: string) => void;
}

function FaultLine({
  line: { line, cells, errors, corrected },
  headers,
  titleOf,
  texts,
  onText,
}: FaultLineProps) {
  return (
    <tr>
      <th scope="row">{line}</th>
      {headers.map((header, at) => (
        <td key={at}>
          <TextInput
            aria-label={`${header} in row ${line}`}
            value={texts[`${line} ${at}`] ?? asText(cells[at] ?? null)}
            onChange={({ target }) => onText(at, target.value)}
          />
        </td>
      ))}
      <td className={corrected ? "muted" : "field-error"}>
        {corrected ? "Corrected" : errors.map((fault) => describe(fault, titleOf)).join(" ")}
      </td>
    </tr>
  );
}

/** The column of the file that is imported into a field, by its header. */
function titleOfField({ mapping, columns }: Import, field: string): string | undefined {
  const mapped = mapping.find((one) => one.field === field);
  return mapped && columns[mapped.column]?.header;
}

/** Errors name fields by their name in the API: users know the title. */
function describe(fault: Line["errors"][number], titleOf: FaultLineProps["titleOf"]): string {
  const title = titleOf(fault.path.slice(1));
  return describeFault(title === undefined ? fault : { ...fault, title });
}
