import "./packs.css";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { FileUp, Package } from "lucide-react";
import { useRef, useState } from "react";
import { useOp } from "../data/api.ts";
import { useRefusals } from "../data/people.ts";
import { useWork } from "../data/use-command.ts";
import { useTitle } from "../shell/title.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { State } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { count, toWords } from "../ui/words.ts";
import { type Offer, type Pack, type PackPlan, readPackFile } from "./pack-plan.ts";
import { PlanDialog } from "./plan-dialog.tsx";
import { Button, PlainButton } from "../ui/form/button.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";
import { FileInput } from "../ui/form/controls.tsx";

/** Packs: built-in ones, and installed ones. */
export function Packs() {
  useTitle("Packs");
  const { open } = useSearch({ from: "/inside/packs" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const offers = useOp("packs.list_catalog", { query: {} });
  const packs = useOp("packs.list", { query: { limit: 200 } });
  const [plan, setPlan] = useState<PackPlan>();
  const denied = refusalOf("packs.install");
  const installed = packs.data?.data ?? [];
  const show = (id: string): void =>
    void navigate({ to: "/packs", search: { open: id === open ? undefined : id }, replace: true });
  return (
    <div className="scroll folio">
      <div className="folio-body wide">
        <header className="row">
          <h1 className="grow">Packs</h1>
          <PackFile denied={denied} onPlan={setPlan} />
        </header>
        {offers.error && <ErrorNotice error={offers.error} retry={() => void offers.refetch()} />}
        {offers.isPending && <Loading rows={4} />}
        <ul className="pack-gallery">
          {offers.data?.data.packs.map((offer) => (
            <li key={offer.packKey}>
              <OfferCard offer={offer} denied={denied} onPlan={setPlan} />
            </li>
          ))}
        </ul>
        <Section
          title="Installed"
          about={
            installed.length === 0
              ? "No packs installed yet."
              : "Installed packs. Uninstalling a pack removes what it created."
          }
        >
          {packs.error && <ErrorNotice error={packs.error} retry={() => void packs.refetch()} />}
          <ul>
            {installed.map((pack) => (
              <Entry
                key={pack.id}
                icon={<Package className="ico" />}
                title={
                  <PlainButton
                    className="pack-name"
                    aria-expanded={open === pack.id}
                    onClick={() => show(pack.id)}
                  >
                    {pack.name} <span className="muted">{pack.version}</span>
                  </PlainButton>
                }
                about={
                  <>
                    {count(pack.made.length, "item")} · tables in {pack.environment} · updated{" "}
                    <Ago at={pack.updatedAt} />
                    {open === pack.id && <Things things={pack.made} />}
                  </>
                }
                act={
                  <Button
                    refusal={denied}
                    aria-label={`Uninstall ${pack.name}`}
                    onClick={() => setPlan({ act: "uninstall", pack })}
                  >
                    Uninstall…
                  </Button>
                }
              />
            ))}
          </ul>
        </Section>
      </div>
      {plan && <PlanDialog plan={plan} onClose={() => setPlan(undefined)} />}
    </div>
  );
}

/** Installs a pack from a file. */
function PackFile(props: {
  readonly denied: string | undefined;
  readonly onPlan: (plan: PackPlan) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const reading = useWork("packs.install", { refusal: props.denied });
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    await reading.run(async () =>
      props.onPlan({ act: "import", descriptor: await readPackFile(file) }),
    );
  };
  return (
    <>
      <FileInput
        ref={field}
        accept="application/json,.json"
        hidden
        aria-label="Pack file"
        onChange={({ target }) => {
          void take(target.files?.[0]);
          // Reset, so that a corrected file with the same name can be selected.
          target.value = "";
        }}
      />
      <CommandButton command={reading} onPress={() => field.current?.click()}>
        <FileUp /> Install from file…
      </CommandButton>
    </>
  );
}

function OfferCard(props: {
  readonly offer: Offer;
  readonly denied: string | undefined;
  readonly onPlan: (plan: PackPlan) => void;
}) {
  const { offer } = props;
  const { name, version, installedVersion, description, brings, lacks } = offer;
  const [lacking] = lacks;
  const denied =
    props.denied ??
    (lacking === undefined
      ? undefined
      : `You don't have permission to install this pack. It needs ${lacking}.`);
  const isNewer = installedVersion !== null && installedVersion !== version;
  return (
    <article className="pack-card">
      <header className="row">
        <h2 className="grow">{name}</h2>
        {installedVersion !== null && !isNewer && <State state="active" label="Installed" />}
        {isNewer && <State state="pending" label="Update available" />}
      </header>
      <p className="muted">{description}</p>
      <ul className="pack-brings" aria-label={`Contents of ${name}`}>
        {brings.map(({ kind, names }) => (
          <li key={kind} title={names.join("\n")}>
            <strong>{names.length}</strong> {kindFor(kind, names.length)}
          </li>
        ))}
      </ul>
      <footer className="row">
        <span className="muted grow">
          {isNewer ? `${installedVersion} → ${version}` : `Version ${version}`}
        </span>
        {(installedVersion === null || isNewer) && (
          <Button
            look="main"
            refusal={denied}
            onClick={() => props.onPlan({ act: isNewer ? "upgrade" : "install", offer })}
          >
            {isNewer ? "Upgrade…" : "Install…"}
          </Button>
        )}
      </footer>
    </article>
  );
}

function Things({ things }: { readonly things: Pack["made"] }) {
  const kinds = [...Map.groupBy(things, ({ kind }) => kind)];
  return (
    <dl className="pack-things">
      {kinds.map(([kind, some]) => (
        <div key={kind}>
          <dt>{toWords(kind)}</dt>
          <dd>{some.map(({ key }) => key).join(", ")}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Formats `sla_policies` as `SLA policies`, or as `SLA policy` for one. */
function kindFor(kind: string, count: number): string {
  const [first = "", ...rest] = toWords(kind).split(" ");
  const words = [/^[A-Z]{2}/.test(first) ? first : first.toLowerCase(), ...rest].join(" ");
  return count === 1 ? words.replace(/ies$/, "y").replace(/s$/, "") : words;
}
