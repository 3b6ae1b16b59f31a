import { Field } from "../../ui/field.tsx";
import { timeField, without } from "./model.ts";
import type { PartProps } from "./part.ts";
import { findPeriod, PERIODS, periodWords } from "./periods.ts";
import { Select } from "../../ui/form/controls.tsx";

/** The period, and the period for comparison. */
export function PeriodPart({
  draft,
  fields,
  onChange,
  canCompare,
}: PartProps & { readonly canCompare: boolean }) {
  const { period, compare } = draft;
  const times = fields.filter(({ type }) => type === "time" || type === "date");
  const chosen = period ? (findPeriod(period)?.id ?? "own") : "";
  const field = period?.field ?? draft.timeBucket?.field ?? timeField(draft, fields);
  const choose = (id: string): void => {
    const found = PERIODS.find((one) => one.id === id);
    if (!found) return onChange(without(draft, ["period", "compare"]));
    const { from, to } = found;
    onChange({
      ...draft,
      period: { from, ...(to !== undefined && { to }), ...(field !== undefined && { field }) },
    });
  };
  return (
    <>
      <Field label="Period">
        {(attributes) => (
          <span className="build-pair">
            <Select {...attributes} value={chosen} onChange={({ target }) => choose(target.value)}>
              <option value="">All time</option>
              {chosen === "own" && period && <option value="own">{periodWords(period)}</option>}
              {PERIODS.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </Select>
            {period && times.length > 1 && (
              <Select
                aria-label="Time field"
                value={field ?? ""}
                onChange={({ target }) =>
                  onChange({ ...draft, period: { ...period, field: target.value } })
                }
              >
                {times.map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title ?? name}
                  </option>
                ))}
              </Select>
            )}
          </span>
        )}
      </Field>
      {canCompare && period && (
        <Field label="Compare with">
          {(attributes) => (
            <Select
              {...attributes}
              value={compare ?? ""}
              onChange={({ target }) => {
                const next = COMPARES.find(([id]) => id === target.value)?.[0];
                onChange(next ? { ...draft, compare: next } : without(draft, ["compare"]));
              }}
            >
              <option value="">None</option>
              {COMPARES.map(([id, words]) => (
                <option key={id} value={id}>
                  {words}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
    </>
  );
}

const COMPARES = [
  ["period", "Previous period"],
  ["week", "Previous week"],
  ["month", "Previous month"],
  ["year", "Previous year"],
] as const;
