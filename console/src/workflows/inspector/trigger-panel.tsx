/** How a workflow starts: by hand, on an event, at times, on a request; with all that somebody outside needs for it. */
import { X, Zap } from "lucide-react";
import { useMemo } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { BASE_PATH, place } from "../../data/place.ts";
import { type FieldProps, fieldKindOf, Form, type Schema } from "../../form/index.ts";
import { CodeWords } from "../../ui/code-words.tsx";
import { CopyLine } from "../../ui/copy-line.tsx";
import { TRIGGER_ICONS } from "../canvas/step-kinds.ts";
import type { InspectorProps } from "./inspector-props.ts";
import { problemsOfStep } from "./problems.ts";
import { ReferencePicker } from "./reference-picker.tsx";
import { Problems } from "./problem-list.tsx";

type Trigger = InspectorProps["definition"]["trigger"];
type Kind = Schemas["TriggerType"];

export function TriggerPanel(props: InspectorProps) {
  const { definition, problems, mayEdit, onChange, onClose, workflowId } = props;
  const { trigger } = definition;
  const { data } = useOp("workflows.node_types", undefined, { staleTime: Infinity });
  const kinds = data?.data.triggerTypes ?? [];
  const kind = kinds.find(({ type }) => type === trigger.type);
  const own = useMemo(
    () => problemsOfStep(definition, undefined, problems),
    [definition, problems],
  );
  const change = (next: Trigger, field: string): void =>
    onChange({ ...definition, trigger: next }, { label: "Change the trigger", field });
  const choose = ({ type, firstConfig }: Kind): void => {
    if (type !== trigger.type) change(firstConfig as unknown as Trigger, "trigger");
  };
  return (
    <>
      <header className="inspector-head">
        <span className="step-icon k-time">
          <Zap />
        </span>
        <h2 className="grow">How it starts</h2>
        <button type="button" className="btn bare icon" aria-label="Close" onClick={onClose}>
          <X />
        </button>
      </header>
      <div className="inspector-body scroll" tabIndex={-1}>
        <Kinds kinds={kinds} chosen={trigger.type} mayEdit={mayEdit} onChoose={choose} />
        {kind && (
          <Form
            key={trigger.type}
            schema={kind.schema as Schema}
            value={trigger}
            errors={own}
            hasSummary={false}
            isDense
            isDisabled={!mayEdit}
            draw={(field) => drawField(field, trigger)}
            onChange={(next, pointer) => change(next as Trigger, `trigger${pointer}`)}
          />
        )}
        <StartLine trigger={trigger} workflowId={workflowId} />
        <Problems problems={own} />
      </div>
    </>
  );
}

function Kinds(props: {
  readonly kinds: readonly Kind[];
  readonly chosen: string;
  readonly mayEdit: boolean;
  readonly onChoose: (kind: Kind) => void;
}) {
  return (
    <fieldset className="trigger-kinds">
      <legend className="hide">Kind of trigger</legend>
      {props.kinds.map((kind) => {
        const Icon = TRIGGER_ICONS[kind.type] ?? Zap;
        return (
          <label key={kind.type}>
            <input
              type="radio"
              name="trigger-kind"
              disabled={!props.mayEdit}
              checked={kind.type === props.chosen}
              onChange={() => props.onChoose(kind)}
            />
            <Icon className="ico" />
            <span>
              {kind.title}
              <small>
                <CodeWords text={kind.summary} />
              </small>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

function drawField(field: FieldProps, trigger: Trigger) {
  const { schema, at } = field;
  const isSecret = at === "/signature/secret";
  const reference = isSecret ? "secret" : schema["x-reference"];
  if (reference === undefined || fieldKindOf(schema) !== "text") return undefined;
  return <ReferencePicker kind={reference} field={field} beside={trigger} />;
}

/** The line that starts it from outside, to be copied. */
function StartLine({
  trigger,
  workflowId,
}: {
  readonly trigger: Trigger;
  readonly workflowId: string;
}) {
  const origin = `${location.origin}${BASE_PATH}`;
  if (trigger.type === "webhook") {
    if (trigger.url === undefined) {
      return (
        <p className="muted">Its address is here once it is saved, for those who may trigger it.</p>
      );
    }
    const signed = trigger.signature ? ` -H '${trigger.signature.header ?? "X-Signature"}: …'` : "";
    return (
      <>
        <CopyLine label={`Address in ${place.environment}`} text={trigger.url} />
        <CopyLine
          label="Try it"
          text={`curl -X POST '${trigger.url}' -H 'Content-Type: application/json'${signed} -d '{"hello":"world"}'`}
        />
      </>
    );
  }
  if (trigger.type !== "manual") return null;
  const headers = [
    "Authorization: Bearer $TOKEN",
    `X-Workspace: ${place.workspace ?? ""}`,
    `X-Environment: ${place.environment}`,
    "Content-Type: application/json",
  ];
  const line = `curl -X POST '${origin}/api/v1/workflows/${workflowId}/trigger' ${headers
    .map((header) => `-H "${header}"`)
    .join(" ")} -d '{"input":{}}'`;
  return <CopyLine label="Start it from outside" text={line} />;
}
