import "./oncall.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useOp } from "../data/api.ts";
import { useMay } from "../data/people.ts";
import { useTitle } from "../shell/title.ts";
import { Tabs } from "../ui/tabs.tsx";
import { Absences } from "./duty/absences.tsx";
import { Pages } from "./duty/pages.tsx";
import { Policies } from "./escalation/policies.tsx";
import { RotaBoard } from "./rota/rota-board.tsx";
import type { OnCallTab } from "./search.ts";

/** On call: current shifts, escalation, open pages and absences. */
export function OnCall() {
  useTitle("On call");
  const { tab = "rota" } = useSearch({ from: "/inside/oncall" });
  const navigate = useNavigate();
  const may = useMay();
  const query = { state: "paging" as const, limit: 50 };
  const open =
    useOp("pages.list", { query }, { enabled: may("pages.list") }).data?.data.length ?? 0;
  const choose = (next: OnCallTab): void =>
    void navigate({ to: "/oncall", search: { tab: next === "rota" ? undefined : next } });
  return (
    <div className="page oncall">
      <Tabs
        label="On call"
        isHead
        tabs={[
          { id: "rota", label: "Schedules" },
          { id: "escalation", label: "Escalation policies" },
          {
            id: "pages",
            label: "Pages",
            mark: open > 0 && <span className="tag bad oncall-open">{open}</span>,
          },
          { id: "absences", label: "Absences" },
        ]}
        chosen={tab}
        onChoose={choose}
        className="oncall-tabs"
      >
        {tab === "rota" && <RotaBoard />}
        {tab === "escalation" && <Policies />}
        {tab === "pages" && <Pages />}
        {tab === "absences" && <Absences />}
      </Tabs>
    </div>
  );
}
