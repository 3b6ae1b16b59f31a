/** All alerts, firing ones first. */
import "./alerts.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { useOp } from "../data/api.ts";
import { useRefusal } from "../data/people.ts";
import { ListPage } from "../shell/list/list-page.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { ruleWords, STATE_WORDS } from "./words.ts";

const ORDER = ["firing", "unknown", "ok"];

export function Alerts() {
  const navigate = useNavigate();
  const read = useOp("alerts.list", { query: { limit: 200 } });
  const refusal = useRefusal("alerts.create");
  const create = (): void => void navigate({ to: "/alerts/$id", params: { id: "new" } });
  const shown = (read.data?.data ?? []).toSorted(
    (one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state),
  );
  return (
    <ListPage
      title="Alerts"
      about="Checks numbers every few minutes and notifies people when a condition is met."
      thing="alert"
      read={read}
      shown={shown.length}
      create={{ label: "New alert", run: create, refusal }}
      empty="Example: notify the service desk when more than ten tickets wait for a response."
    >
      <div className="alerts-list scroll">
        {shown.map((alert) => (
          <Link key={alert.id} to="/alerts/$id" params={{ id: alert.id }} className="alert-line">
            <State
              state={alert.enabled ? alert.state : "paused"}
              {...(alert.enabled && { label: STATE_WORDS[alert.state] })}
            />
            <span className="grow">
              <b className="cut">{alert.name}</b>
              <span className="muted cut">{alert.reason ?? ruleWords(alert.rule)}</span>
            </span>
            <span className="muted wide-only">
              {alert.checkedAt === null ? "Not checked yet" : <Ago at={alert.checkedAt} />}
            </span>
          </Link>
        ))}
      </div>
    </ListPage>
  );
}
