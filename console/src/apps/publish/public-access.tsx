/** The audience of a published app, signed-in users or anyone, and its address. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { call, query, type Schemas } from "../../data/api.ts";
import { type Environment, place } from "../../data/place.ts";
import { useCommand } from "../../data/use-command.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { freeField } from "../../ui/form/binding.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { RadioButton } from "../../ui/form/controls.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { Row } from "../../ui/layout/layout.tsx";

interface AccessProps {
  readonly app: Schemas["App"];
  readonly environment: Environment;
}

export function PublicAccess({ app, environment }: AccessProps) {
  const [wanted, setWanted] = useState<boolean>();
  const queries = useQueryClient();
  const input = { params: { id: app.id } };
  const queryKey = [...query("apps.get_public", input).queryKey, environment];
  const { data, error } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call("apps.get_public", input, { signal, environment }),
  });
  const readAgain = (): Promise<void> => queries.invalidateQueries({ queryKey });
  const open = useCommand("apps.make_public", {
    environment,
    said: `Anyone can open ${app.name} now.`,
  });
  const close = useCommand("apps.make_private", {
    environment,
    said: `Only people who have signed in can open ${app.name} now.`,
  });
  const { refusal } = open;
  const isBusy = open.isBusy || close.isBusy;
  if (error) return <ErrorNotice error={error} />;
  if (!data) return <Loading rows={1} />;
  const { publication } = data.data;
  const isPublic = publication !== null;
  const choose = (next: boolean): void => {
    if (next === isPublic) return;
    setWanted(next);
    void (next ? open : close)
      .run(input)
      .then(readAgain)
      .then(() => setWanted(undefined));
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
              disabled={isBusy || refusal !== undefined}
              title={refusal}
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
          {...{ app, environment, domain: publication.domain }}
          onSaved={() => void readAgain()}
        />
      )}
    </section>
  );
}

interface AddressProps extends AccessProps {
  readonly domain: string | null;
  readonly onSaved: () => void;
}

function Address({ app, environment, domain, onSaved }: AddressProps) {
  const [text, setText] = useState(domain ?? "");
  const search = environment === "production" ? "" : `?environment=${environment}`;
  const usual = `${location.origin}/apps/${place.workspace}/${app.slug}${search}`;
  const address = domain === null ? usual : `${location.protocol}//${domain}/`;
  const wanted = text.trim().toLowerCase() || null;
  const set = useCommand("apps.set_domain", {
    environment,
    refusal: wanted === domain ? "Nothing is changed." : undefined,
    said:
      wanted === null ? "The app has no domain of its own now." : `The app is at ${wanted} now.`,
    onDone: onSaved,
  });
  const save = (): void => void set.run({ params: { id: app.id }, body: { domain: wanted } });
  return (
    <>
      <a className="public-address" href={address} target="_blank" rel="noreferrer">
        {address} <ExternalLink className="ico" aria-hidden="true" />
      </a>
      <Row
        align="end"
        wraps
        // Enter in the field saves the domain; otherwise it would submit the publish dialog.
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          event.stopPropagation();
          if (set.refusal === undefined) save();
        }}
      >
        <TextField
          {...freeField("domain", text, (next) => setText(next ?? ""))}
          label="Own domain"
          help="The domain must lead to this installation already: that is checked."
          placeholder="orders.example.com"
          isRequired={false}
        />
        <CommandButton command={set} onPress={save}>
          {set.isBusy ? "Checking…" : "Save the domain"}
        </CommandButton>
      </Row>
    </>
  );
}
