import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call, type Schemas } from "../data/api.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { notify, notifyError } from "../ui/toast.tsx";
import { count, toWords } from "../ui/words.ts";
import { nameOf, type PackPlan } from "./pack-plan.ts";
import { type Kept, type PlannedChange, reasonOf, rehearse } from "./rehearsal.ts";
import { Button } from "../ui/form/button.tsx";

interface Answer {
  readonly kept: readonly Kept[];
  readonly made?: Schemas["Pack"]["made"];
  readonly removed?: Schemas["Pack"]["made"];
}

const WORDS = {
  install: { title: "Install", act: "Install", said: "is installed" },
  import: { title: "Install", act: "Install", said: "is installed" },
  upgrade: { title: "Upgrade", act: "Upgrade", said: "is upgraded" },
  uninstall: { title: "Uninstall", act: "Uninstall", said: "is uninstalled" },
} as const;

/** Shows what would be made, changed, deleted and kept, before anything is done. */
export function PlanDialog({
  plan,
  onClose,
}: {
  readonly plan: PackPlan;
  readonly onClose: () => void;
}) {
  const name = nameOf(plan);
  const words = WORDS[plan.act];
  const [isBusy, setBusy] = useState(false);
  const { data, error, isPending } = useQuery({
    queryKey: ["packs.plan", plan.act, name],
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) => {
      const [operation, input] = toCall(plan);
      return rehearse<Answer>(operation, input as never, signal);
    },
  });
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      const [operation, input] = toCall(plan);
      await call(operation, input as never);
      notify(`${name} ${words.said}.`);
      onClose();
    } catch (failure) {
      notifyError(failure);
      setBusy(false);
    }
  };
  const isReady = data !== undefined && data.refusal === undefined && !isBusy;
  const kept = data?.answer?.kept ?? [];
  return (
    <Dialog
      title={`${words.title} ${name}`}
      isWide
      onClose={onClose}
      onSubmit={() => isReady && void run()}
      footer={
        <Button look="main" disabled={!isReady}>
          {isBusy ? "Working…" : words.act}
        </Button>
      }
    >
      {isPending && <Loading rows={4} />}
      {error && <ErrorNotice error={error} />}
      {data?.refusal !== undefined && <ErrorNotice error={{ message: data.refusal }} />}
      {data && data.refusal === undefined && (
        <>
          <Changes title="Created" changes={data.changes} act="create" />
          <Changes title="Changed" changes={data.changes} act="update" />
          {plan.act !== "uninstall" && (
            <Changes title="Deleted" changes={data.changes} act="delete" />
          )}
          {plan.act === "uninstall" && <Removed things={data.answer?.removed ?? []} />}
          {kept.length > 0 && (
            <section>
              <h3>Kept as they are</h3>
              <ul className="plan-list">
                {kept.map((one) => (
                  <li key={`${one.kind} ${one.key}`}>
                    <span className="muted">{toWords(one.kind)}</span> <strong>{one.key}</strong>
                    <span className="muted"> {reasonOf(one)}</span>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {data.changes.length === 0 && kept.length === 0 && <p>Nothing would change.</p>}
        </>
      )}
    </Dialog>
  );
}

/** The operation that does what is planned. */
function toCall(plan: PackPlan) {
  if (plan.act === "uninstall") {
    return ["packs.uninstall", { params: { id: plan.pack.id } }] as const;
  }
  if (plan.act === "import") return ["packs.install", { body: plan.descriptor }] as const;
  return ["packs.install_baseline", { body: { packKey: plan.offer.packKey } }] as const;
}

function Removed({ things }: { readonly things: Schemas["Pack"]["made"] }) {
  if (things.length === 0) return null;
  return (
    <section>
      <h3>
        Deleted{" "}
        <span className="muted">{count(things.length, "thing")}; workflows are archived</span>
      </h3>
      <ul className="plan-list">
        {things.map(({ kind, key }) => (
          <li key={`${kind} ${key}`}>
            <span className="muted">{toWords(kind)}</span> <strong>{key}</strong>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Changes(props: {
  readonly title: string;
  readonly changes: readonly PlannedChange[];
  readonly act: PlannedChange["act"];
}) {
  const some = props.changes.filter(({ act }) => act === props.act);
  if (some.length === 0) return null;
  return (
    <section>
      <h3>
        {props.title} <span className="muted">{some.length}</span>
      </h3>
      <ul className="plan-list">
        {some.map(({ kind, id, name, fields }) => (
          <li key={`${kind} ${id}`}>
            <span className="muted">{toWords(kind)}</span> <strong>{name}</strong>
            {props.act === "update" && <span className="muted"> {fields.join(", ")}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
