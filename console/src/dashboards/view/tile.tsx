/** A tile: title, figure, and a note if the filter bar does not apply to it. */
import { type Mark, type ReportAnswer, toFigure, toTitle } from "@millrace/client/chart";
import { FilterX } from "lucide-react";
import { memo, type ReactNode } from "react";
import { Explain, FigureView, type Drill } from "../../analytics/index.ts";
import type { Schemas } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { Loading } from "../../ui/feedback.tsx";
import { KpiFigure } from "./kpi-figure.tsx";

export type Widget = Schemas["Widget"];
export type WidgetData = Schemas["DashboardData"]["widgets"][number];
type Bar = Schemas["ReportFilterBar"];

export interface TileProps {
  readonly widget: Widget;
  readonly data: WidgetData | undefined;
  readonly bar: Bar | undefined;
  readonly onDrill?: ((drill: Drill) => void) | undefined;
  readonly onFilter?: ((group: Mark["group"]) => void) | undefined;
  /** Editor actions in the header. */
  readonly acts?: ReactNode;
}

export const Tile = memo(function Tile(props: TileProps) {
  const { widget, data, bar, acts } = props;
  const title = tileTitle(widget, data);
  const answer = data?.data as (ReportAnswer & { notFiltered?: readonly string[] }) | undefined;
  const skipped = data?.report && answer?.notFiltered;
  if (widget.kind === "text" && acts === undefined && widget.title === "") {
    return <TextTile text={widget.text ?? ""} />;
  }
  return (
    <>
      <header className="tile-head">
        <h2 className="cut" title={title}>
          {title}
        </h2>
        {skipped && skipped.length > 0 && (
          <span
            className="tile-note"
            title={`Not filtered by ${skipped.join(", ")}: the data source of this tile does not have this field`}
          >
            <FilterX aria-label={`Not filtered by ${skipped.join(", ")}`} />
          </span>
        )}
        {data?.report && <Explain {...{ title, bar }} report={data.report} at={data.at} />}
        {acts}
      </header>
      <TileBody {...props} title={title} />
    </>
  );
});

function TileBody(props: TileProps & { readonly title: string }) {
  const { widget, data, bar, onDrill, onFilter, title } = props;
  const nameOf = useNames();
  if (widget.kind === "text") return <TextTile text={widget.text ?? ""} />;
  if (!data) return <Loading rows={2} />;
  if (data.status === "failed") {
    return <p className="tile-error">{data.error?.message ?? "The tile could not be loaded."}</p>;
  }
  if (data.kind === "kpi") return <KpiFigure data={data.data} />;
  const { report } = data;
  if (!report) return null;
  const figure = toFigure(data.data as ReportAnswer, report, nameOf);
  return (
    <FigureView
      {...{ figure, nameOf }}
      label={title}
      onPick={onDrill && ((mark) => onDrill({ title, report, bar, mark }))}
      onFilter={onFilter}
    />
  );
}

/** Returns the tile title. Default: the report title or a description of the measure. */
export function tileTitle(widget: Widget, data: WidgetData | undefined): string {
  if (widget.title !== "") return widget.title;
  if (data?.name !== undefined) return data.name;
  const { columns = [] } = (data?.data ?? {}) as Partial<ReportAnswer>;
  const [measure] = widget.report?.aggregates ?? [];
  const group = widget.report?.groupBy?.[0];
  const plain =
    measure?.field === undefined
      ? toTitle(measure?.fn ?? "Tile")
      : `${toTitle(measure.fn)} of ${measure.field}`;
  const what = columns.find(({ role }) => role === "value")?.title ?? plain;
  if (group === undefined) return what;
  return `${what} by ${columns.find(({ name }) => name === group)?.title ?? group}`;
}

function TextTile({ text }: { readonly text: string }) {
  return (
    <div className="tile-text">
      {text.split(/\n{2,}/).map((part, n) => {
        const heading = /^#{1,3} (.*)$/.exec(part);
        return heading ? <h2 key={n}>{heading[1]}</h2> : <p key={n}>{part}</p>;
      })}
    </div>
  );
}
