import { CircleCheck, CircleDashed, TriangleAlert } from "lucide-react";
import { type Reply, useOp } from "../../../data/api.ts";
import { BASE_PATH } from "../../../data/place.ts";
import { findGaps, sortReport } from "./export-file.ts";
import { Select, TextInput } from "../../../ui/form/controls.tsx";

export type N8nAnswer = Reply<"workflows.import">["data"];

const STATUSES = {
  converted: { icon: CircleCheck, word: "converted" },
  approximated: { icon: TriangleAlert, word: "approximated" },
  placeholder: { icon: CircleDashed, word: "missing" },
} as const;

/** The import result of each node, and the choices that the user must make. */
export function N8nImport(props: {
  readonly answer: N8nAnswer;
  readonly chosen: Readonly<Record<string, string>>;
  readonly onChoose: (id: string, value: string) => void;
}) {
  const { answer, chosen, onChoose } = props;
  const { converted, approximated } = answer.counts;
  const { missing, open } = findGaps(answer);
  const nodes = sortReport(answer.workflows.map(({ report }) => report));
  const several = answer.workflows.length;
  return (
    <div className="n8n-import">
      <p role="status">
        n8n export: {converted} converted, {approximated} approximated, {missing.length} missing
        {open.length > 0 && `, ${open.length} to select below`}.
        {several > 1 && ` The import creates ${several} workflows.`}
        {missing.length > 0 && " A missing step fails when the run reaches it."}
      </p>
      <Bindings bindings={answer.bindings} chosen={chosen} onChoose={onChoose} />
      <ul className="n8n-nodes" aria-label="Nodes">
        {nodes.map(({ node, type, status, reasons }) => {
          const { icon: Icon, word } = STATUSES[status];
          return (
            <li key={node} className={`n8n-node is-${status}`}>
              <Icon className="ico" aria-label={word} />
              <strong>{node}</strong>
              <span className="muted">{type}</span>
              {reasons.length > 0 && <span className="n8n-reasons">{reasons.join("; ")}</span>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The choices that the user must make. */
export function Bindings(props: {
  readonly bindings: N8nAnswer["bindings"];
  readonly chosen: Readonly<Record<string, string>>;
  readonly onChoose: (id: string, value: string) => void;
}) {
  const { bindings, chosen, onChoose } = props;
  if (bindings.length === 0) return null;
  return (
    <fieldset className="n8n-bindings">
      <legend>Select</legend>
      {bindings.map((binding) => (
        <Binding
          key={binding.id}
          binding={binding}
          value={chosen[binding.id] ?? ""}
          onChoose={(value) => onChoose(binding.id, value)}
        />
      ))}
    </fieldset>
  );
}

function Binding(props: {
  readonly binding: N8nAnswer["bindings"][number];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}) {
  const { binding, value, onChoose } = props;
  const choices = useChoices(binding.kind);
  const fitting = choices?.filter((choice) => fitsBinding(choice, binding.id)) ?? [];
  const { kind } = binding;
  return (
    <label className="new-workflow-field">
      <span>
        {binding.title} <span className="muted">for {binding.usedBy.join(", ")}</span>
      </span>
      {kind === "text" ? (
        <TextInput
          required
          maxLength={100}
          value={value}
          onChange={(event) => onChoose(event.target.value)}
        />
      ) : (
        <Select value={value} onChange={(event) => onChoose(event.target.value)}>
          <option value="">Select later</option>
          <optgroup label="Matching">{toOptions(fitting)}</optgroup>
          {fitting.length < (choices?.length ?? 0) && (
            <optgroup label="Others">
              {toOptions(choices?.filter((one) => !fitting.includes(one)) ?? [])}
            </optgroup>
          )}
        </Select>
      )}
      {kind !== "text" && choices?.length === 0 && (
        <span className="muted">
          No {kind} yet.{" "}
          <a className="link" href={`${BASE_PATH}/${kind}s`} target="_blank" rel="noopener">
            Create one in another tab
          </a>
        </span>
      )}
    </label>
  );
}

const CHOICES_MAX = 200;

interface Choice {
  readonly id: string;
  readonly name: string;
  /** The connector type, and the catalogue service. */
  readonly type?: string;
  readonly preset?: string | null;
}

const toOptions = (choices: readonly Choice[]) =>
  choices.map(({ id, name }) => (
    <option key={id} value={id}>
      {name}
    </option>
  ));

const toKey = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Returns whether a connector matches the service that a node needs; other kinds always match. */
function fitsBinding({ name, type, preset }: Choice, bindingId: string): boolean {
  const [kind, service = ""] = bindingId.split(":");
  if (kind !== "connector") return true;
  const key = toKey(service);
  return [name, type, preset].some((text) => {
    const own = toKey(text ?? "");
    return own !== "" && (own.includes(key) || key.includes(own));
  });
}

/** Returns the options of a kind once they are loaded. */
function useChoices(kind: string): readonly Choice[] | undefined {
  const query = { limit: CHOICES_MAX };
  const connectors = useOp("connectors.list", { query }, { enabled: kind === "connector" });
  const workflows = useOp("workflows.list", { query }, { enabled: kind === "workflow" });
  const tables = useOp("tables.list", { query }, { enabled: kind === "table" });
  const secrets = useOp("secrets.list", { query }, { enabled: kind === "secret" });
  if (kind === "connector")
    return connectors.data?.data.map(({ id, name, type, config }) => ({
      id,
      name,
      type,
      preset: typeof config["preset"] === "string" ? config["preset"] : null,
    }));
  if (kind === "workflow") return workflows.data?.data;
  if (kind === "secret") return secrets.data?.data.map(({ name }) => ({ id: name, name }));
  // Steps refer to tables by slug.
  return tables.data?.data.map(({ slug, name }) => ({ id: slug, name }));
}
