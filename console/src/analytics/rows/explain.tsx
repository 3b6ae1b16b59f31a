/** Explains a number: source, filter, period, permissions, age and SQL. */
import "./rows.css";
import { Info } from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Popover } from "../../ui/overlay/popover.tsx";
import { Ago } from "../../ui/time.tsx";
import { type ReportDraft } from "../builder/model.ts";
import { sourceWords } from "../builder/source-picker.tsx";

interface ExplainProps {
  readonly title: string;
  readonly report: ReportDraft;
  readonly bar?: Schemas["ReportFilterBar"] | undefined;
  readonly at?: string | null | undefined;
}

export function Explain(props: ExplainProps) {
  return (
    <Popover
      label={`Explain ${props.title}`}
      className="btn bare icon"
      button={<Info />}
      align="end"
    >
      {() => <Explanation {...props} />}
    </Popover>
  );
}

function Explanation({ report, bar, at }: ExplainProps) {
  const { data, error } = useOp("reports.explain", { body: { report, ...(bar && { bar }) } });
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading rows={6} />;
  const told = data.data;
  const moment = (iso: string): string =>
    new Date(iso).toLocaleString("en-GB", {
      dateStyle: "medium",
      timeStyle: "short",
      timeZone: told.period?.timezone,
    });
  const entries: readonly (readonly [string, React.ReactNode])[] = [
    ["Description", sourceWords(told.source)],
    ["Tile filter", told.filter ? <code>{JSON.stringify(told.filter)}</code> : "None"],
    ["Dashboard filter", told.barFilter ? <code>{JSON.stringify(told.barFilter)}</code> : "None"],
    ...(told.notFiltered.length > 0
      ? [["Not filtered by", told.notFiltered.join(", ")] as const]
      : []),
    [
      "Period",
      told.period
        ? `${moment(told.period.from)} to ${moment(told.period.to)} (${told.period.timezone})`
        : "All time",
    ],
    ...(told.before
      ? [["Compared with", `${moment(told.before.from)} to ${moment(told.before.to)}`] as const]
      : []),
    [
      "Access",
      told.rights.limited
        ? "with your permissions: access rules hide some rows"
        : `with your permissions (${told.rights.permission})`,
    ],
    ["Calculated at", at ? <Ago at={at} /> : "now"],
  ];
  return (
    <div className="explain">
      <dl>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {told.sql !== null && (
        <details>
          <summary>SQL</summary>
          <pre tabIndex={0}>{told.sql}</pre>
        </details>
      )}
    </div>
  );
}
