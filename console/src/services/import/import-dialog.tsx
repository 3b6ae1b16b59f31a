import { useMemo, useState } from "react";
import { type Input, type Schemas, useOp } from "../../data/api.ts";
import { describeFault } from "../../data/error-words.ts";
import { useForm } from "../../data/form/use-form.ts";
import { SelectField } from "../../ui/form/choice-field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { TextAreaField } from "../../ui/form/text-field.tsx";
import { count, toWords } from "../../ui/words.ts";
import { FIELDS, guessMapping, parseTable, type Target, toItems } from "./csv.ts";
import { FileInput, Select } from "../../ui/form/controls.tsx";

type Result = Schemas["CmdbImportResult"];

const TARGETS: readonly Target[] = [...FIELDS, "attribute", "nothing"];
const FAULTS_SHOWN = 20;

interface Draft {
  readonly text: string;
  /** The user's corrections of the mapping, by column index. */
  readonly chosen: Readonly<Record<number, Target>>;
  /** The class of all items, if no column is mapped to it. */
  readonly fallback: string;
}

type Body = NonNullable<Input<"cmdb.import">["body"]>;

/** Imports items from a spreadsheet: paste or upload, map the columns, preview, import. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const classes = useOp("cmdb.list_classes", { query: { limit: 200 } }).data?.data ?? [];
  const [tried, setTried] = useState<Result>();
  const form = useForm("cmdb.import", {
    initial: { text: "", chosen: {}, fallback: "server" },
    toBody: (draft: Draft): Body => {
      const { table, mapping } = readDraft(draft);
      const items = toItems(table, mapping, draft.fallback) as Body["items"];
      return { ...(items && { items }), onError: "skip", dryRun: !tried };
    },
    check: (draft) => ({ text: describeLack(draft) }),
    said: ({ data }) => tried && `${count(data.created, "item")} created, ${data.updated} updated`,
    onDone: ({ data }) => (tried ? onClose() : setTried(data)),
  });
  const { text } = form.values;
  const { table, mapping } = useMemo(() => readDraft(form.values), [form.values]);
  const change = (next: Partial<Draft>): void => {
    form.change(next);
    setTried(undefined);
  };
  return (
    <FormDialog
      // A preview sends the form without saving, so it must stay dirty.
      form={{ ...form, isDirty: text !== "" }}
      title="Import items"
      act={tried ? `Import ${count(tried.created + tried.updated, "item")}` : "Preview import"}
      isWide
      onClose={onClose}
    >
      <TextAreaField
        {...form.field("text")}
        label="CSV data"
        help="CSV with a header row. Rows with the key of an existing item update this item."
        rows={6}
        placeholder={"name,class,ip\nweb-01,server,10.0.0.1"}
        isMono
        isRequired
        onChange={(next) => change({ text: next ?? "", chosen: {} })}
      />
      <FileInput
        accept=".csv,.tsv,.txt,text/csv"
        aria-label="CSV file"
        onChange={({ target }) =>
          void target.files?.[0]?.text().then((next) => change({ text: next, chosen: {} }))
        }
      />
      {table.rows.length > 0 && (
        <Mapping
          header={table.header}
          sample={table.rows[0] ?? []}
          mapping={mapping}
          onChange={(n, target) => change({ chosen: { ...form.values.chosen, [n]: target } })}
        />
      )}
      {table.rows.length > 0 && !mapping.includes("class") && (
        <SelectField
          {...form.field("fallback")}
          label="Class of all items"
          isRequired
          options={classes.map(({ name }) => [name, toWords(name)])}
        />
      )}
      {tried && <Outcome result={tried} />}
    </FormDialog>
  );
}

function readDraft({ text, chosen }: Draft) {
  const table = parseTable(text);
  return { table, mapping: guessMapping(table.header).map((guess, n) => chosen[n] ?? guess) };
}

function describeLack(draft: Draft): string | undefined {
  const { table, mapping } = readDraft(draft);
  if (table.rows.length === 0) return "Paste CSV data with a header row, or select a file.";
  return mapping.includes("name") ? undefined : "Map one column to Name.";
}

function Mapping(props: {
  readonly header: readonly string[];
  readonly sample: readonly string[];
  readonly mapping: readonly Target[];
  readonly onChange: (n: number, target: Target) => void;
}) {
  return (
    <table className="import-mapping">
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">Example</th>
          <th scope="col">Field</th>
        </tr>
      </thead>
      <tbody>
        {props.header.map((title, n) => (
          <tr key={n}>
            <th scope="row" className="cut">
              {title}
            </th>
            <td className="cut muted">{props.sample[n]}</td>
            <td>
              <Select
                aria-label={`Field for ${title}`}
                value={props.mapping[n]}
                onChange={({ target }) => props.onChange(n, target.value as Target)}
              >
                {TARGETS.map((target) => (
                  <option key={target} value={target}>
                    {target === "attribute" ? `Attribute ${title}` : toWords(target)}
                  </option>
                ))}
              </Select>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Outcome({ result }: { readonly result: Result }) {
  const { created, updated, unchanged, skipped, errors } = result;
  return (
    <div className="import-result" role="status">
      {created} new, {updated} changed, {unchanged} unchanged, {skipped} skipped.
      {errors.length > 0 && (
        <ul className="item-import-faults" tabIndex={0} aria-label="Errors">
          {errors.slice(0, FAULTS_SHOWN).map((fault) => (
            <li key={`${fault.path} ${fault.message}`}>{describeFault(fault)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
