import "./operation.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMe } from "../data/people.ts";
import { useTitle } from "../shell/title.ts";
import { Empty } from "../ui/feedback.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { toWords } from "../ui/words.ts";
import { Backups } from "./backups.tsx";
import { Imports } from "./imports.tsx";
import { Load } from "./load.tsx";
import { Log } from "./log.tsx";
import { Operators } from "./operators.tsx";
import { Overview } from "./overview.tsx";
import { OPERATION_TABS, type OperationTab } from "./search.ts";
import { Settings } from "./settings.tsx";
import { Storage } from "./storage.tsx";
import { Work } from "./work.tsx";

const PANELS: Readonly<Record<OperationTab, () => React.ReactNode>> = {
  overview: Overview,
  load: Load,
  work: Work,
  storage: Storage,
  backups: Backups,
  imports: Imports,
  settings: Settings,
  log: Log,
  operators: Operators,
};

export function Operation() {
  useTitle("Operation");
  const navigate = useNavigate();
  const { tab = "overview", ...rest } = useSearch({ from: "/inside/settings/operation" });
  const me = useMe();
  const Panel = PANELS[tab];
  return (
    <div className="scroll folio operation">
      <div className="folio-body">
        <h1>Operation</h1>
        {me?.isOperator === false ? (
          <Empty title="Only operators can open this page">
            Ask an operator to add you, or run <code>npm run millrace -- operator</code> on the
            server.
          </Empty>
        ) : (
          <Tabs
            label="Installation"
            tabs={OPERATION_TABS.map((id) => ({ id, label: toWords(id) }))}
            chosen={tab}
            onChoose={(next) =>
              void navigate({
                to: "/settings/operation",
                search: { ...rest, tab: next },
                replace: true,
              })
            }
          >
            <Panel />
          </Tabs>
        )}
      </div>
    </div>
  );
}
