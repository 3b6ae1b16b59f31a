import { Trash2, X } from "lucide-react";
import { Builder, NEW_REPORT } from "../../analytics/index.ts";
import { useOp } from "../../data/api.ts";
import { Field } from "../../ui/field.tsx";
import type { Widget } from "../view/tile.tsx";
import { Button } from "../../ui/form/button.tsx";
import { Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

interface TileEditorProps {
  readonly widget: Widget;
  readonly onChange: (widget: Widget) => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

/** The content of a tile: its own report, a saved report, a KPI or a text. */
export function TileEditor({ widget, onChange, onRemove, onClose }: TileEditorProps) {
  const { id, title, layout } = widget;
  const base = { id, title, layout };
  return (
    <aside className="dash-side" aria-label="Tile settings">
      <header>
        <h2>Tile</h2>
        <Button look="bare" isIcon type="button" aria-label="Remove tile" onClick={onRemove}>
          <Trash2 />
        </Button>
        <Button look="bare" isIcon type="button" aria-label="Close tile settings" onClick={onClose}>
          <X />
        </Button>
      </header>
      <div className="dash-side-body" tabIndex={0} role="region" aria-label="Tile settings">
        <Field label="Title" isOptional>
          {(attributes) => (
            <TextInput
              {...attributes}
              value={title}
              onChange={({ target }) => onChange({ ...widget, title: target.value })}
            />
          )}
        </Field>
        {widget.kind === "text" ? (
          <Field label="Text">
            {(attributes) => (
              <TextArea
                {...attributes}
                rows={8}
                value={widget.text ?? ""}
                onChange={({ target }) => onChange({ ...widget, text: target.value })}
              />
            )}
          </Field>
        ) : (
          <>
            <Content widget={widget} onChange={(content) => onChange({ ...base, ...content })} />
            {widget.report && (
              <Builder
                draft={widget.report}
                onChange={(report) => onChange({ ...widget, report })}
              />
            )}
          </>
        )}
      </div>
    </aside>
  );
}

type Content = Pick<Widget, "kind" | "report" | "reportId" | "kpiId">;

/** Selects the tile's own report or a shared one. */
function Content(props: {
  readonly widget: Widget;
  readonly onChange: (content: Content) => void;
}) {
  const { widget, onChange } = props;
  const reports = useOp("reports.list", { query: { limit: 200 } }).data?.data ?? [];
  const kpis = useOp("kpis.list", { query: { limit: 200 } }).data?.data ?? [];
  if (reports.length === 0 && kpis.length === 0) return null;
  return (
    <Field label="Content">
      {(attributes) => (
        <Select
          {...attributes}
          value={widget.reportId ?? widget.kpiId ?? ""}
          onChange={({ target: { value } }) => {
            if (value.startsWith("rpt_")) onChange({ kind: "report", reportId: value });
            else if (value.startsWith("kpi_")) onChange({ kind: "kpi", kpiId: value });
            else onChange({ kind: "report", report: widget.report ?? NEW_REPORT });
          }}
        >
          <option value="">New report</option>
          {reports.length > 0 && (
            <optgroup label="Saved reports">
              {reports.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
          {kpis.length > 0 && (
            <optgroup label="KPIs">
              {kpis.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </optgroup>
          )}
        </Select>
      )}
    </Field>
  );
}
