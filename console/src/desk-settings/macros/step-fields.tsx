import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { type FieldBinding, partOf } from "../../ui/form/binding.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import { ListField } from "../../ui/form/list-field.tsx";
import { Grid } from "../../ui/layout/layout.tsx";
import type { Step } from "./macro-steps.ts";
import { SetFields } from "./set-fields.tsx";

interface StepFieldsProps {
  readonly step: Step;
  readonly field: FieldBinding<Step>;
}

const toTags = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);

export function StepFields({ step, field }: StepFieldsProps) {
  switch (step.act) {
    case "set":
      return <SetFields value={step.set} onChange={(set) => field.onChange({ ...step, set })} />;
    case "tag": {
      const tags = { ...field, value: step };
      return (
        <Grid min="m">
          <ListField
            {...partOf(tags, "add", {})}
            label="Add tags"
            placeholder="vip, storm"
            joint=", "
            parse={toTags}
          />
          <ListField
            {...partOf(tags, "remove", {})}
            label="Remove tags"
            joint=", "
            parse={toTags}
          />
        </Grid>
      );
    }
    case "comment":
      return <CommentFields step={step} field={{ ...field, value: step }} />;
    case "hold":
    case "reopen":
    case "cancel":
      return (
        <TextField
          {...partOf({ ...field, value: step }, "reason", {})}
          label={step.act === "hold" ? "Reason for hold" : "Reason"}
        />
      );
    case "resolve":
      return (
        <TextAreaField {...partOf({ ...field, value: step }, "resolution")} label="Resolution" />
      );
    case "take":
    case "resume":
    case "close":
      return null;
  }
}

type CommentStep = Extract<Step, { act: "comment" }>;

interface CommentFieldsProps {
  readonly step: CommentStep;
  readonly field: FieldBinding<CommentStep>;
}

function CommentFields({ step, field }: CommentFieldsProps) {
  const may = useMay();
  const texts = useOp(
    "text_modules.list",
    { query: { limit: 100 } },
    { enabled: may("text_modules.list") },
  ).data;
  const { textModuleId, body: _, ...rest } = step;
  return (
    <>
      <SelectField
        {...partOf(field, "textModuleId")}
        label="Text module"
        none="None: enter text"
        options={(texts?.data ?? []).map(({ id, name }) => [id, name] as const)}
        onChange={(id) =>
          field.onChange(id ? { ...rest, textModuleId: id } : { ...rest, body: "" })
        }
      />
      {textModuleId === undefined && (
        <TextAreaField
          {...partOf(field, "body")}
          label="Text"
          help="You can use placeholders, for example {{caller.firstName}} or {{ticket.number}}."
        />
      )}
      <CheckField {...partOf(field, "internal")} label="Internal note, not visible to the caller" />
    </>
  );
}
