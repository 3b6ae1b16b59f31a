import { toTitle } from "@millrace/client/chart";
import { type Permission, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Combobox, type ComboOption } from "../../ui/overlay/combobox.tsx";
import type { ReportDraft } from "./model.ts";

type Source = ReportDraft["source"];

interface SourcePickerProps {
  readonly source: Source;
  readonly onChange: (source: Source) => void;
}

/** Selects a source: tables by name, then other resources. */
export function SourcePicker({ source, onChange }: SourcePickerProps) {
  const may = useMay();
  const kinds = useOp("reports.sources", { query: { limit: 200 } }).data?.data ?? [];
  const tables =
    useOp("tables.list", { query: { limit: 200 } }, { enabled: may("tables.list") }).data?.data ??
    [];
  const queries =
    useOp("queries.list", { query: { limit: 200 } }, { enabled: may("queries.list") }).data?.data ??
    [];
  const options: readonly ComboOption[] = [
    ...tables.map(({ slug, name }) => ({
      value: JSON.stringify({ kind: "records", table: slug }),
      label: name,
      group: "Tables",
    })),
    ...queries.map(({ id, name }) => ({
      value: JSON.stringify({ kind: "query", queryId: id }),
      label: name,
      group: "Saved queries",
    })),
    ...kinds
      .filter(
        ({ kind, permission }) =>
          kind !== "records" && kind !== "query" && may(permission as Permission),
      )
      .flatMap(({ kind, schema }): ComboOption[] => {
        const properties = (schema["properties"] ?? {}) as Readonly<
          Record<string, { readonly enum?: readonly string[] }>
        >;
        const [choice] = Object.entries(properties).filter(([, { enum: values }]) => values);
        if (!choice) {
          return [{ value: JSON.stringify({ kind }), label: toTitle(kind), group: "Millrace" }];
        }
        const [key, { enum: values = [] }] = choice;
        return values.map((one) => ({
          value: JSON.stringify({ kind, [key]: one }),
          label: `${toTitle(one)} ${kind}`,
          group: "Millrace",
        }));
      }),
  ];
  const value = JSON.stringify(source);
  const known = options.some((option) => option.value === value);
  return (
    <div className="field-box">
      <span className="build-label">Description</span>
      <Combobox
        label="Source"
        value={value}
        options={known ? options : [{ value, label: sourceWords(source) }, ...options]}
        onChange={(next) => next !== undefined && onChange(JSON.parse(next) as Source)}
      />
    </div>
  );
}

export function sourceWords(source: Readonly<Record<string, unknown>>): string {
  const { kind, table, entity } = source;
  if (typeof table === "string") return `Records of ${table}`;
  return typeof entity === "string" ? `${toTitle(entity)} ${String(kind)}` : toTitle(String(kind));
}
