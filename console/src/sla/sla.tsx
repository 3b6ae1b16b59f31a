import "./sla.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTitle } from "../shell/title.ts";
import { Tabs } from "../ui/tabs.tsx";
import { SlaBoard } from "./board.tsx";
import { Calendars } from "./calendar/calendars.tsx";
import { Policies } from "./policy/policies.tsx";
import type { SlaTab } from "./search.ts";

const TABS = [
  { id: "board", label: "At risk" },
  { id: "policies", label: "Policies" },
  { id: "calendars", label: "Calendars" },
] as const;

/** SLAs: clocks at risk, policies and calendars. */
export function Sla() {
  useTitle("SLAs");
  const { tab = "board" } = useSearch({ from: "/inside/sla" });
  const navigate = useNavigate();
  const choose = (next: SlaTab): void => void navigate({ to: "/sla", search: { tab: next } });
  return (
    <div className="page sla">
      <Tabs label="SLAs" isHead tabs={TABS} chosen={tab} onChoose={choose} className="sla-tabs">
        {tab === "board" && <SlaBoard />}
        {tab === "policies" && <Policies />}
        {tab === "calendars" && <Calendars />}
      </Tabs>
    </div>
  );
}
