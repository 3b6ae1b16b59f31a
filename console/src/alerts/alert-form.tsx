import { Builder, type ReportDraft } from "../analytics/index.ts";
import { PeopleField } from "../desk-settings/index.ts";
import { Field } from "../ui/field.tsx";
import { RULE_KINDS, type Rule } from "./words.ts";

export interface AlertDraft {
  readonly name: string;
  readonly report: ReportDraft;
  readonly rule: Rule;
  readonly everyMinutes: number;
  readonly notify: readonly string[];
  readonly enabled: boolean;
}

interface AlertFormProps {
  readonly draft: AlertDraft;
  readonly onChange: (draft: AlertDraft) => void;
}

const EVERY = [1, 5, 15, 60, 360, 1440];

/** What an alert looks at, when it fires, and who is told. */
export function AlertForm({ draft, onChange }: AlertFormProps) {
  const { rule } = draft;
  const needsThreshold = rule.kind === "above" || rule.kind === "below";
  const setKind = (value: string): void => {
    const kind = RULE_KINDS.find(([id]) => id === value)?.[0] ?? "above";
    const isLimit = kind === "above" || kind === "below";
    onChange({ ...draft, rule: { kind, ...(isLimit && { threshold: rule.threshold ?? 0 }) } });
  };
  return (
    <div className="alert-form" role="region" aria-label="Settings" tabIndex={0}>
      <Field label="Name">
        {(attributes) => (
          <input
            {...attributes}
            className="field"
            value={draft.name}
            onChange={({ target }) => onChange({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <Builder
        isNumber
        draft={draft.report}
        onChange={(report) => onChange({ ...draft, report })}
      />
      <Field label="Fires when the number">
        {(attributes) => (
          <span className="build-pair">
            <select
              {...attributes}
              className="field"
              value={rule.kind}
              onChange={({ target }) => setKind(target.value)}
            >
              {RULE_KINDS.map(([id, words]) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
            </select>
            {needsThreshold && (
              <input
                className="field build-side"
                aria-label="Threshold"
                type="number"
                step="any"
                value={rule.threshold ?? 0}
                onChange={({ target }) =>
                  onChange({ ...draft, rule: { ...rule, threshold: Number(target.value) } })
                }
              />
            )}
          </span>
        )}
      </Field>
      <Field label="Checked">
        {(attributes) => (
          <select
            {...attributes}
            className="field"
            value={draft.everyMinutes}
            onChange={({ target }) => onChange({ ...draft, everyMinutes: Number(target.value) })}
          >
            {EVERY.map((minutes) => (
              <option key={minutes} value={minutes}>
                {minutes < 60 ? `every ${minutes} min` : `every ${minutes / 60} h`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <PeopleField
        label="Notifies"
        help="In their inbox, and by mail where they want it"
        userIds={draft.notify}
        onChange={(notify) => onChange({ ...draft, notify })}
      />
      <label className="alert-enabled">
        <input
          type="checkbox"
          checked={draft.enabled}
          onChange={({ target }) => onChange({ ...draft, enabled: target.checked })}
        />{" "}
        Enabled
      </label>
    </div>
  );
}
