/** The filter bar for all tiles: a period, and the fields that the dashboard offers. */
import { formatGroup } from "@millrace/client/chart";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { PERIODS, periodWords, useFieldTitles } from "../../analytics/index.ts";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import type { BarFilter, BarPeriod } from "../search.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

interface FilterBarProps {
  readonly period: BarPeriod;
  readonly filters: readonly { readonly field: string; readonly label?: string | undefined }[];
  readonly filter: BarFilter;
  /** The sources of the tiles, from which field values are loaded. */
  readonly sources: readonly Readonly<Record<string, unknown> & { kind: string }>[];
  readonly onPeriod: (period: BarPeriod) => void;
  readonly onFilter: (filter: BarFilter) => void;
}

export function FilterBar(props: FilterBarProps) {
  const { period, filters, filter, sources, onPeriod, onFilter } = props;
  const chosen = PERIODS.find(({ from, to }) => from === period.from && to === period.to)?.id;
  const extra = Object.keys(filter).filter((name) => !filters.some(({ field }) => field === name));
  const put = (name: string, value: unknown): void => {
    const rest = Object.entries(filter).filter(([other]) => other !== name);
    onFilter(Object.fromEntries(value === undefined ? rest : [...rest, [name, value]]));
  };
  const isUntitled = filters.some(({ label }) => label === undefined);
  const titleOf = useFieldTitles(sources, extra.length > 0 || isUntitled);
  const nameValue = useValueNames();
  const isUsed = Object.keys(filter).length > 0;
  return (
    <div className="dash-bar" role="group" aria-label="Filters for all tiles">
      <Select
        aria-label="Period"
        value={chosen ?? (period.from === undefined ? "" : "own")}
        onChange={({ target }) => {
          const found = PERIODS.find(({ id }) => id === target.value);
          onPeriod({ from: found?.from, to: found?.to });
        }}
      >
        <option value="">Period of each tile</option>
        {chosen === undefined && period.from !== undefined && (
          <option value="own">{periodWords(period)}</option>
        )}
        {PERIODS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Select>
      {filters.map(({ field, label }) => (
        <FieldFilter
          key={field}
          {...{ field, sources }}
          label={label ?? titleOf(field)}
          value={filter[field]}
          onChange={(value) => put(field, value)}
        />
      ))}
      {extra.map((name) => (
        <PlainButton
          key={name}
          type="button"
          className="dash-chip"
          aria-label={`Remove the filter ${titleOf(name)}`}
          onClick={() => put(name, undefined)}
        >
          {titleOf(name)}: {nameValue(name, filter[name], sources[0]?.kind)} <X />
        </PlainButton>
      ))}
      {isUsed && (
        <Button look="bare" type="button" onClick={() => onFilter({})}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** Formats values in the same way as the tiles. */
function useValueNames(): (name: string, value: unknown, source: string | undefined) => string {
  const nameOf = useNames();
  return (name, value, source) =>
    (typeof value === "string" ? nameOf(value) : undefined) ?? formatGroup(name, value, source);
}

interface FieldFilterProps {
  readonly field: string;
  readonly label: string;
  readonly value: unknown;
  readonly sources: FilterBarProps["sources"];
  readonly onChange: (value: unknown) => void;
}

const VALUES_MAX = 50;

/** A filter by the existing values, most frequent first. */
function FieldFilter({ field, label, value, sources, onChange }: FieldFilterProps) {
  const nameValue = useValueNames();
  const [at, setAt] = useState(0);
  const source = sources[at];
  const { data, error } = useOp(
    "reports.preview",
    {
      body: {
        source: source ?? { kind: "events" },
        groupBy: [field],
        sort: "-count",
        limit: VALUES_MAX,
      },
    },
    { enabled: source !== undefined },
  );
  // If the first source does not have the field, the next one is tried.
  useEffect(() => {
    if (error && at + 1 < sources.length) setAt(at + 1);
  }, [error, at, sources.length]);
  const found = (data?.data.rows ?? []).map((row) => row[field]);
  const values =
    value === undefined || found.some((one) => one === value) ? found : [value, ...found];
  return (
    <label className={value === undefined ? "dash-filter" : "dash-filter used"}>
      <span>{label}</span>
      <Select
        value={value === undefined ? "" : JSON.stringify(value)}
        onChange={({ target }) =>
          onChange(target.value === "" ? undefined : (JSON.parse(target.value) as unknown))
        }
      >
        <option value="">any</option>
        {values.map((one) => (
          <option key={JSON.stringify(one)} value={JSON.stringify(one)}>
            {nameValue(field, one, source?.kind)}
          </option>
        ))}
      </Select>
    </label>
  );
}
