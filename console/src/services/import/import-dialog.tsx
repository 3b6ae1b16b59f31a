import { useMemo, useState } from "react";
import { call, type Input, type Schemas, useOp } from "../../data/api.ts";
import { describeFault } from "../../data/error-words.ts";
import { describeRefusal } from "../../data/change.ts";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { count, toWords } from "../../ui/words.ts";
import { FIELDS, guessMapping, parseTable, type Target, toItems } from "./csv.ts";
import { Refusal } from "../../ui/feedback.tsx";
import { Button } from "../../ui/form/button.tsx";
import { FileInput, Select, TextArea } from "../../ui/form/controls.tsx";

type Result = Schemas["CmdbImportResult"];

const TARGETS: readonly Target[] = [...FIELDS, "attribute", "nothing"];
const FAULTS_SHOWN = 20;

/** Items from a spreadsheet: paste or choose it, say what its columns are, try it, do it. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<ReadonlyMap<number, Target>>(new Map());
  const [fallback, setFallback] = useState("server");
  const [tried, setTried] = useState<Result>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const table = useMemo(() => parseTable(text), [text]);
  const mapping = guessMapping(table.header).map((guess, n) => chosen.get(n) ?? guess);
  const change = (next: string): void => {
    setText(next);
    setChosen(new Map());
    setTried(undefined);
  };
  const run = async (dryRun: boolean): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const body = { items: toItems(table, mapping, fallback), onError: "skip", dryRun };
      const { data } = await call("cmdb.import", { body } as unknown as Input<"cmdb.import">);
      setTried(data);
      if (dryRun) return;
      notify(`${count(data.created, "item")} added, ${data.updated} changed.`);
      onClose();
    } catch (error) {
      setProblem(describeRefusal(error));
    } finally {
      setBusy(false);
    }
  };
  const isReady = table.rows.length > 0 && mapping.includes("name");
  return (
    <Dialog
      title="Import items"
      isWide
      onClose={onClose}
      onSubmit={() => void run(!tried)}
      footer={
        <Button look="main" disabled={!isReady || isBusy}>
          {tried ? `Import ${count(tried.created + tried.updated, "item")}` : "Try it"}
        </Button>
      }
    >
      <div className="import">
        <Field
          label="List"
          help="With a line of titles; whatever has a key that is known already is changed, not doubled."
        >
          {(attributes) => (
            <TextArea
              {...attributes}
              rows={6}
              placeholder={"name,class,ip\nweb-01,server,10.0.0.1"}
              value={text}
              onChange={({ target }) => change(target.value)}
            />
          )}
        </Field>
        <FileInput
          accept=".csv,.tsv,.txt,text/csv"
          aria-label="File with a list"
          onChange={({ target }) => void target.files?.[0]?.text().then(change)}
        />
        {table.rows.length > 0 && (
          <Mapping
            header={table.header}
            sample={table.rows[0] ?? []}
            mapping={mapping}
            onChange={(n, target) => {
              setChosen(new Map(chosen).set(n, target));
              setTried(undefined);
            }}
          />
        )}
        {table.rows.length > 0 && !mapping.includes("class") && (
          <ClassChoice value={fallback} onChange={setFallback} />
        )}
        {tried && <Outcome result={tried} />}
        <Refusal reason={problem} />
      </div>
    </Dialog>
  );
}

/** The class of all items, where no column says it. */
function ClassChoice(props: { readonly value: string; readonly onChange: (name: string) => void }) {
  const classes = useOp("cmdb.list_classes", { query: { limit: 200 } }).data?.data ?? [];
  return (
    <Field label="All of them are">
      {(attributes) => (
        <Select
          {...attributes}
          value={props.value}
          onChange={({ target }) => props.onChange(target.value)}
        >
          {classes.map(({ name }) => (
            <option key={name} value={name}>
              {toWords(name)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function Mapping(props: {
  readonly header: readonly string[];
  readonly sample: readonly string[];
  readonly mapping: readonly Target[];
  readonly onChange: (n: number, target: Target) => void;
}) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">As in</th>
          <th scope="col">Is</th>
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
                aria-label={`${title} is`}
                value={props.mapping[n]}
                onChange={({ target }) => props.onChange(n, target.value as Target)}
              >
                {TARGETS.map((target) => (
                  <option key={target} value={target}>
                    {target === "attribute" ? `An attribute: ${title}` : toWords(target)}
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
      {created} new, {updated} changed, {unchanged} as they are, {skipped} left out.
      {errors.length > 0 && (
        <ul className="item-import-faults" tabIndex={0} aria-label="Faults">
          {errors.slice(0, FAULTS_SHOWN).map((fault) => (
            <li key={`${fault.path} ${fault.message}`}>{describeFault(fault)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
