import "./reports.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTitle } from "../shell/title.ts";
import { Tabs } from "../ui/tabs.tsx";
import { Kpis } from "./kpis/kpis.tsx";
import { Schedules } from "./mail/schedules.tsx";
import { SavedReports } from "./saved/saved-reports.tsx";
import type { ReportsTab } from "./search.ts";

/** Saved reports, e-mail schedules and KPIs. */
export function Reports() {
  useTitle("Reports");
  const { tab = "saved" } = useSearch({ from: "/inside/reports" });
  const navigate = useNavigate();
  const choose = (next: ReportsTab): void =>
    void navigate({ to: "/reports", search: { tab: next === "saved" ? undefined : next } });
  return (
    <div className="page paper reports">
      <Tabs
        label="Reports"
        isHead
        tabs={[
          { id: "saved", label: "Saved reports" },
          { id: "mail", label: "E-mail schedules" },
          { id: "kpis", label: "KPIs" },
        ]}
        chosen={tab}
        onChoose={choose}
        className="reports-tabs"
      >
        {tab === "saved" && <SavedReports />}
        {tab === "mail" && <Schedules />}
        {tab === "kpis" && <Kpis />}
      </Tabs>
    </div>
  );
}
