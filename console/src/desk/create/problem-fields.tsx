import type { DraftFieldsProps } from "./draft.ts";
import { ChoiceField, TeamField, TextFields } from "./text-fields.tsx";

const PRIORITIES = [1, 2, 3, 4, 5].map((n) => [n, `P${n}`] as const);

export function ProblemFields(props: DraftFieldsProps) {
  const { draft, onChange } = props;
  return (
    <>
      <TextFields {...props} label="Title" />
      <div className="act-columns">
        <ChoiceField
          label="Priority"
          value={draft.priority}
          options={PRIORITIES}
          onChange={(priority) => onChange({ priority })}
        />
        <TeamField {...{ draft, onChange }} />
      </div>
    </>
  );
}
