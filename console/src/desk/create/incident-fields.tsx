import { CallerField } from "./caller-field.tsx";
import { CategoryField, ItemsField } from "../fields/reference-fields.tsx";
import { FilesField } from "./files-field.tsx";
import type { DraftFieldsProps } from "./draft.ts";
import { ChoiceField, TeamField, TextFields } from "./text-fields.tsx";

export const LEVELS = [
  [1, "High"],
  [2, "Medium"],
  [3, "Low"],
] as const;

export function IncidentFields(props: DraftFieldsProps) {
  const { draft, onChange, errorOf } = props;
  return (
    <>
      <CallerField
        value={draft.callerId}
        onChange={(callerId) => onChange({ callerId })}
        contact={draft.contact}
        onContact={(contact) => onChange({ contact })}
        error={errorOf("callerId")}
      />
      <TextFields {...props} label="Title" />
      <div className="act-columns">
        <ChoiceField
          label="Impact"
          value={draft.impact}
          options={LEVELS}
          onChange={(impact) => onChange({ impact })}
        />
        <ChoiceField
          label="Urgency"
          value={draft.urgency}
          options={LEVELS}
          onChange={(urgency) => onChange({ urgency })}
        />
        <TeamField {...{ draft, onChange }} />
      </div>
      <CategoryField value={draft.category} onChange={(category) => onChange({ category })} />
      <ItemsField value={draft.ciIds} onChange={(ciIds) => onChange({ ciIds })} />
      <FilesField value={draft.fileIds} onChange={(fileIds) => onChange({ fileIds })} />
    </>
  );
}
