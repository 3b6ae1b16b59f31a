/** All alerts: which of them need somebody now comes first. */
import "./alerts.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useOp } from "../data/api.ts";
import { useRefusal } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { useTitle } from "../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { ruleWords, STATE_WORDS } from "./words.ts";
import { Button } from "../ui/form/button.tsx";

const ORDER = ["firing", "unknown", "ok"];

export function Alerts() {
  useTitle("Alerts");
  const navigate = useNavigate();
  const { data, error, refetch } = useOp("alerts.list", { query: { limit: 200 } });
  const refusal = useRefusal("alerts.create");
  const create = (): void => void navigate({ to: "/alerts/$id", params: { id: "new" } });
  useActions([{ keys: "n", label: "New alert", run: create, disabled: refusal }]);
  const shown = data?.data.toSorted(
    (one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state),
  );
  const button = (
    <Button look="main" refusal={refusal} type="button" onClick={create}>
      <Plus /> Alert
    </Button>
  );
  return (
    <div className="page">
      <header className="page-head">
        <h1>Alerts</h1>
        <span className="grow" />
        {button}
      </header>
      <div className="alerts-list scroll">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {shown?.length === 0 && (
          <Empty title="No alerts yet" action={button}>
            An alert looks at a number every few minutes, and tells you when it needs somebody.
          </Empty>
        )}
        {shown?.map((alert) => (
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
    </div>
  );
}
