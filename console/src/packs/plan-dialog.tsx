import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../data/api.ts";
import { useAnyForm } from "../data/form/use-form.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { count, toWords } from "../ui/words.ts";
import { nameOf, type PackPlan } from "./pack-plan.ts";
import { type Kept, type PlannedChange, reasonOf, rehearse } from "./rehearsal.ts";

interface Answer {
  readonly kept: readonly Kept[];
  readonly made?: Schemas["Pack"]["made"];
  readonly removed?: Schemas["Pack"]["made"];
}

const WORDS = {
  install: { title: "Install", act: "Install", said: "installed" },
  import: { title: "Install", act: "Install", said: "installed" },
  upgrade: { title: "Upgrade", act: "Upgrade", said: "upgraded" },
  uninstall: { title: "Uninstall", act: "Uninstall", said: "uninstalled" },
} as const;

/** Shows what will be created, changed, deleted and kept, before the operation runs. */
export function PlanDialog({
  plan,
  onClose,
}: {
  readonly plan: PackPlan;
  readonly onClose: () => void;
}) {
  const name = nameOf(plan);
  const words = WORDS[plan.act];
  const [operation, input] = toCall(plan);
  const { data, error, isPending } = useQuery({
    queryKey: ["packs.plan", plan.act, name],
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) => rehearse<Answer>(operation, input as never, signal),
  });
  const form = useAnyForm(operation, {
    params: "params" in input ? input.params : undefined,
    fixed: "body" in input ? { ...input.body } : undefined,
    refusal: data?.refusal ?? (data ? undefined : "Wait for the preview."),
    said: `${name} ${words.said}.`,
    onDone: onClose,
  });
  const kept = data?.answer?.kept ?? [];
  return (
    <FormDialog
      form={form}
      title={`${words.title} ${name}`}
      act={words.act}
      isWide
      onClose={onClose}
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
              <h3>Unchanged</h3>
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
          {data.changes.length === 0 && kept.length === 0 && <p>No changes.</p>}
        </>
      )}
    </FormDialog>
  );
}

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
        <span className="muted">{count(things.length, "item")}. Workflows are archived</span>
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
