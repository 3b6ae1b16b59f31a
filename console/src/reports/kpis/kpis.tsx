import { useNavigate, useSearch } from "@tanstack/react-router";
import { useOp } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { NEW, Shelf } from "../../desk-settings/index.ts";
import { KpiEditor } from "./kpi-editor.tsx";

/** KPIs with their targets and history. */
export function Kpis() {
  const { open } = useSearch({ from: "/inside/reports" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("kpis.list", { query: { limit: 200 } });
  const show = (id: string | undefined): void =>
    void navigate({ to: "/reports", search: { tab: "kpis", open: id } });
  const kpis = data?.data ?? [];
  const kpi = kpis.find(({ id }) => id === open);
  return (
    <Shelf
      label="KPIs"
      make="New KPI"
      refusal={useRefusal("kpis.create")}
      place={[open, show]}
      nothing="A KPI tracks one number and its target over time. Example: tickets resolved within the SLA."
      items={kpis.map(({ id, name, target, direction, unit }) => ({
        id,
        label: name,
        about: `Target ${direction === "up" ? "≥" : "≤"} ${target}${unit === null ? "" : ` ${unit}`}`,
      }))}
      {...{ error, isPending }}
      onRetry={() => void refetch()}
    >
      {(kpi || open === NEW) && <KpiEditor key={open} kpi={kpi} onOpen={show} />}
    </Shelf>
  );
}
