/** The access to a published app: for people who have signed in, or for anyone; and at which address. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { call, query, type Schemas } from "../../data/api.ts";
import { type Environment, place } from "../../data/place.ts";
import { useMay } from "../../data/people.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { Button } from "../../ui/form/button.tsx";
import { RadioButton, TextInput } from "../../ui/form/controls.tsx";

interface AccessProps {
  readonly app: Schemas["App"];
  readonly environment: Environment;
}

export function PublicAccess({ app, environment }: AccessProps) {
  const [isBusy, setBusy] = useState(false);
  const [wanted, setWanted] = useState<boolean>();
  const mayDeploy = useMay()("apps.make_public");
  const queries = useQueryClient();
  const input = { params: { id: app.id } };
  const queryKey = [...query("apps.get_public", input).queryKey, environment];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call("apps.get_public", input, { signal, environment }),
  });
  const change = async (work: () => Promise<unknown>, told: string): Promise<void> => {
    setBusy(true);
    try {
      await work();
      notify(told);
    } catch (failed) {
      notifyError(failed);
    } finally {
      await queries.invalidateQueries({ queryKey });
      setBusy(false);
      setWanted(undefined);
    }
  };
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading rows={1} />;
  const { publication } = data.data;
  const isPublic = publication !== null;
  const choose = (next: boolean): void => {
    if (next === isPublic) return;
    setWanted(next);
    const work = () =>
      call(next ? "apps.make_public" : "apps.make_private", input, { environment });
    void change(work, next ? `Anyone can open ${app.name} now.` : `${app.name} is closed again.`);
  };
  return (
    <section className="publish-access" aria-label="Who can open it">
      <h3>Who can open it</h3>
      <div className="publish-environments" role="radiogroup" aria-label="Who can open it">
        {[false, true].map((each) => (
          <label key={String(each)} className={each === (wanted ?? isPublic) ? "chosen" : ""}>
            <RadioButton
              name="public"
              checked={each === (wanted ?? isPublic)}
              disabled={isBusy || !mayDeploy}
              onChange={() => choose(each)}
            />
            {each ? "Anyone" : "People who have signed in"}
          </label>
        ))}
      </div>
      <p className="muted">
        {isPublic
          ? "Strangers see its pages with your rights, and use its buttons and forms. How often is limited."
          : "They see in it what they may see anyway."}
      </p>
      {isPublic && (
        <Address
          key={publication.domain ?? ""}
          {...{ app, environment, isBusy, domain: publication.domain }}
          onSave={(domain) =>
            void change(
              () => call("apps.set_domain", { ...input, body: { domain } }, { environment }),
              domain === null ? "It has no domain of its own any more." : `It is at ${domain} now.`,
            )
          }
        />
      )}
    </section>
  );
}

interface AddressProps extends AccessProps {
  readonly domain: string | null;
  readonly isBusy: boolean;
  readonly onSave: (domain: string | null) => void;
}

function Address({ app, environment, domain, isBusy, onSave }: AddressProps) {
  const [text, setText] = useState(domain ?? "");
  const search = environment === "production" ? "" : `?environment=${environment}`;
  const usual = `${location.origin}/apps/${place.workspace}/${app.slug}${search}`;
  const address = domain === null ? usual : `${location.protocol}//${domain}/`;
  const wanted = text.trim().toLowerCase();
  return (
    <>
      <a className="public-address" href={address} target="_blank" rel="noreferrer">
        {address} <ExternalLink className="ico" aria-hidden="true" />
      </a>
      <div className="publish-domain">
        <label className="publish-notes">
          <span>Own domain</span>
          <TextInput
            value={text}
            placeholder="orders.example.com"
            aria-describedby="domain-help"
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              // The dialog would publish.
              event.preventDefault();
              onSave(wanted === "" ? null : wanted);
            }}
          />
        </label>
        <Button
          type="button"
          disabled={isBusy || wanted === (domain ?? "")}
          onClick={() => onSave(wanted === "" ? null : wanted)}
        >
          {isBusy ? "Checking…" : "Save the domain"}
        </Button>
      </div>
      <p className="muted" id="domain-help">
        The domain must lead to this installation already: that is checked.
      </p>
    </>
  );
}
