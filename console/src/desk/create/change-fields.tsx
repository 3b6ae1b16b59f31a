import { CHANGE_TYPE } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import { Field } from "../../ui/field.tsx";
import type { DraftFieldsProps } from "./draft.ts";
import { LEVELS } from "./incident-fields.tsx";
import { ChoiceField, TeamField, TextFields } from "./text-fields.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const TYPES = choicesOf(CHANGE_TYPE, {
  normal: "Normal: needs approval",
  standard: "Standard: preapproved",
  emergency: "Emergency: reviewed afterwards",
});

/** The required fields of a change; plans and approvers are added on its page. */
export function ChangeFields(props: DraftFieldsProps) {
  const { draft, onChange, errorOf } = props;
  return (
    <>
      <TextFields {...props} label="Title" />
      <div className="act-columns">
        <ChoiceField
          label="Type"
          value={draft.changeType}
          options={TYPES}
          onChange={(changeType) => onChange({ changeType })}
        />
        <ChoiceField
          label="Impact"
          value={draft.impact}
          options={LEVELS}
          onChange={(impact) => onChange({ impact })}
        />
        <TeamField {...{ draft, onChange }} />
      </div>
      <div className="act-columns">
        {(["plannedStart", "plannedEnd"] as const).map((name) => (
          <Field
            key={name}
            label={name === "plannedStart" ? "Planned start" : "Planned end"}
            error={errorOf(name)}
            isOptional
          >
            {(attributes) => (
              <TextInput
                {...attributes}
                type="datetime-local"
                onChange={({ target }) =>
                  onChange({
                    [name]: target.value === "" ? undefined : new Date(target.value).toISOString(),
                  })
                }
              />
            )}
          </Field>
        ))}
      </div>
    </>
  );
}
