import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { CheckField, LineField, SelectField } from "../frame/editor-form.tsx";
import type { Step } from "./macro-steps.ts";
import { SetFields } from "./set-fields.tsx";

interface StepFieldsProps {
  readonly step: Step;
  readonly onChange: (step: Step) => void;
  readonly errorOf: (field: string) => string | undefined;
}

const toTags = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim().toLowerCase())
    .filter(Boolean);

/** What one act needs to know. */
export function StepFields({ step, onChange, errorOf }: StepFieldsProps) {
  switch (step.act) {
    case "set":
      return <SetFields value={step.set} onChange={(set) => onChange({ ...step, set })} />;
    case "tag":
      return (
        <div className="editor-columns">
          <LineField
            label="Add"
            placeholder="vip, storm"
            value={(step.add ?? []).join(", ")}
            onChange={(text) => onChange({ ...step, add: toTags(text) })}
            error={errorOf("add")}
          />
          <LineField
            label="Take away"
            value={(step.remove ?? []).join(", ")}
            onChange={(text) => onChange({ ...step, remove: toTags(text) })}
            error={errorOf("remove")}
          />
        </div>
      );
    case "comment":
      return <CommentFields {...{ step, onChange, errorOf }} />;
    case "hold":
    case "reopen":
    case "cancel":
      return (
        <LineField
          label={step.act === "hold" ? "What does it wait for?" : "Why?"}
          value={step.reason ?? ""}
          onChange={(reason) => onChange({ ...step, reason })}
          error={errorOf("reason")}
          isOptional
        />
      );
    case "resolve":
      return (
        <LineField
          label="What solved it?"
          value={step.resolution}
          onChange={(resolution) => onChange({ ...step, resolution })}
          error={errorOf("resolution")}
          isArea
        />
      );
    case "take":
    case "resume":
    case "close":
      return null;
  }
}

type CommentStep = Extract<Step, { act: "comment" }>;

function CommentFields(props: Omit<StepFieldsProps, "step"> & { readonly step: CommentStep }) {
  const { step, onChange, errorOf } = props;
  const may = useMay();
  const texts = useOp(
    "text_modules.list",
    { query: { limit: 100 } },
    { enabled: may("text_modules.list") },
  ).data;
  const { textModuleId } = step;
  const { textModuleId: _, body: __, ...rest } = step;
  return (
    <>
      <SelectField
        label="Text"
        value={textModuleId ?? ""}
        options={[
          ["", "Its own"],
          ...(texts?.data ?? []).map(({ id, name }) => [id, name] as const),
        ]}
        onChange={(id) =>
          onChange(id === "" ? { ...rest, body: "" } : { ...rest, textModuleId: id })
        }
      />
      {textModuleId === undefined && (
        <LineField
          label="What it says"
          help="{{caller.firstName}}, {{ticket.number}} and the like are filled in."
          value={step.body ?? ""}
          onChange={(body) => onChange({ ...step, body })}
          error={errorOf("body")}
          isArea
        />
      )}
      <CheckField
        label="Internal: the caller does not read it"
        isOn={step.internal === true}
        onChange={(internal) => onChange({ ...step, internal })}
      />
    </>
  );
}
