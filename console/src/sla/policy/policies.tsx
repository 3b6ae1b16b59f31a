import { useNavigate, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { toSentence } from "../policy-words.ts";
import { PolicyEditor } from "./policy-editor.tsx";
import { Button, PlainButton } from "../../ui/form/button.tsx";

export const NEW = "new";

/** Policies as sentences, next to the open one. */
export function Policies() {
  const { open } = useSearch({ from: "/inside/sla" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const refusal = refusalOf("sla.create");
  const { data, error, isPending, refetch } = useOp("sla.list", { query: { limit: 100 } });
  const show = (id: string | undefined): void =>
    void navigate({ to: "/sla", search: { tab: "policies", open: id } });
  const policies = data?.data ?? [];
  const policy = policies.find(({ id }) => id === open);
  useListKeys({ ids: policies.map(({ id }) => id), chosen: open, onChoose: show });
  useActions([{ keys: "c", label: "New policy", run: () => show(NEW), disabled: refusal }]);
  const make = (
    <Button refusal={refusal} onClick={() => show(NEW)}>
      <Plus /> New policy
    </Button>
  );
  return (
    <div className={`sla-split${open === undefined ? "" : " has-open"}`}>
      <section className="sla-list scroll" aria-label="Policies" tabIndex={0}>
        <p className="sla-make">{make}</p>
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && !error && <Loading rows={6} />}
        {data && policies.length === 0 && (
          <Empty title="No SLA policies yet">
            A policy sets targets for response and resolution times. Add a policy to start.
          </Empty>
        )}
        <ul>
          {policies.map((one) => (
            <li key={one.id}>
              <PlainButton
                className="sla-policy"
                aria-current={one.id === open ? "true" : undefined}
                onClick={() => show(one.id)}
              >
                <strong>
                  {one.name} {!one.active && <span className="tag idle">Disabled</span>}
                </strong>
                <span className="muted">{toSentence(one)}</span>
              </PlainButton>
            </li>
          ))}
        </ul>
      </section>
      {(policy || open === NEW) && <PolicyEditor key={open} policy={policy} onOpen={show} />}
    </div>
  );
}
