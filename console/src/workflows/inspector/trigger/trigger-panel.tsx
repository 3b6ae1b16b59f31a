/** The trigger of a workflow: manual, event, schedule or webhook, with everything that callers need. */
import { X, Zap } from "lucide-react";
import { useMemo } from "react";
import { type Schemas, useOp } from "../../../data/api.ts";
import { type FieldProps, fieldKindOf, Form, type Schema } from "../../../form/index.ts";
import { ColourInput } from "../../../ui/display/colour-input.tsx";
import { CodeWords } from "../../../ui/json/code-words.tsx";
import { TRIGGER_ICONS } from "../../canvas/step-kinds.ts";
import type { InspectorProps } from "../inspector-props.ts";
import { problemsOfStep } from "../problems.ts";
import { ReferencePicker } from "../reference-picker.tsx";
import { Problems } from "../problem-list.tsx";
import { ChatPreview } from "../designer/chat-preview.tsx";
import { DesignButton } from "../designer/design-button.tsx";
import { TriggerStart } from "./trigger-start.tsx";
import { Button } from "../../../ui/form/button.tsx";
import { RadioButton } from "../../../ui/form/controls.tsx";

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
    onChange({ ...definition, trigger: next }, { label: "Edit trigger", field });
  const choose = ({ type, firstConfig }: Kind): void => {
    if (type !== trigger.type) change(firstConfig as unknown as Trigger, "trigger");
  };
  return (
    <>
      <header className="inspector-head">
        <span className="step-icon k-time">
          <Zap />
        </span>
        <h2 className="grow">Trigger</h2>
        <Button look="bare" isIcon type="button" aria-label="Close" onClick={onClose}>
          <X />
        </Button>
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
            draw={(field) =>
              trigger.type === "form" && field.at === "/pages" ? (
                <DesignButton field={field} form={trigger} />
              ) : (
                drawField(field, trigger)
              )
            }
            onChange={(next, pointer) => change(next as Trigger, `trigger${pointer}`)}
          />
        )}
        {trigger.type === "chat" && <ChatPreview trigger={trigger} workflowId={workflowId} />}
        <TriggerStart trigger={trigger} workflowId={workflowId} />
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
      <legend className="hide">Trigger type</legend>
      {props.kinds.map((kind) => {
        const Icon = TRIGGER_ICONS[kind.type] ?? Zap;
        return (
          <label key={kind.type}>
            <RadioButton
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
  if (at === "/accent") return <Accent {...field} />;
  const isSecret = at === "/signature/secret";
  const reference = isSecret ? "secret" : schema["x-reference"];
  if (reference === undefined || fieldKindOf(schema) !== "text") return undefined;
  return <ReferencePicker kind={reference} field={field} beside={trigger} />;
}

/** The default accent colour of form and chat pages. */
const PAGE_ACCENT = "#0b6b63";

/** Resetting the colour removes the field from the trigger. */
function Accent({ id, value, isDisabled, describedBy, onChange }: FieldProps) {
  return (
    <ColourInput
      {...{ id, isDisabled, describedBy }}
      value={typeof value === "string" ? value : ""}
      ours={PAGE_ACCENT}
      onChange={(colour) => onChange(colour === "" ? undefined : colour)}
    />
  );
}
