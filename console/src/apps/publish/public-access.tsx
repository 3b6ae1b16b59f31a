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
    said: `${app.name} is now public. Anyone with the link can open it.`,
  });
  const close = useCommand("apps.make_private", {
    environment,
    said: `${app.name} now requires sign-in.`,
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
    <section className="publish-access" aria-label="App access">
      <h3>Access to the app</h3>
      <div className="publish-environments" role="radiogroup" aria-label="App access">
        {[false, true].map((each) => (
          <label key={String(each)} className={each === (wanted ?? isPublic) ? "chosen" : ""}>
            <RadioButton
              name="public"
              checked={each === (wanted ?? isPublic)}
              disabled={isBusy || refusal !== undefined}
              title={refusal}
              onChange={() => choose(each)}
            />
            {each ? "Anyone with the link" : "Signed-in members"}
          </label>
        ))}
      </div>
      <p className="muted">
        {isPublic
          ? "Visitors see the pages with your permissions, and can use the buttons and forms. Requests are rate limited."
          : "Each member sees only the data that they have access to."}
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
    refusal: wanted === domain ? "There are no unsaved changes." : undefined,
    said: wanted === null ? "Custom domain removed." : `The app is available at ${wanted}.`,
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
          label="Custom domain"
          help="The DNS record of the domain must already point to this server. It is checked when you save."
          placeholder="orders.example.com"
          isRequired={false}
        />
        <CommandButton command={set} onPress={save}>
          {set.isBusy ? "Checking…" : "Save domain"}
        </CommandButton>
      </Row>
    </>
  );
}
