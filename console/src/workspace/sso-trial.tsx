import { Check, X } from "lucide-react";
import { etagOf, type Schemas } from "../data/api.ts";
import { place } from "../data/place.ts";
import { useCommand } from "../data/use-command.ts";
import { CopyLine } from "../ui/copy-line.tsx";
import { Section } from "../ui/display/section.tsx";
import { Ago } from "../ui/time.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";

type Configuration = Schemas["SsoConfiguration"];
type Result = NonNullable<Configuration["test"]>;

interface TrialProps {
  readonly configuration: Configuration | undefined;
  /** The reason why the user can't run the test; undefined if they can. */
  readonly reason: string | undefined;
}

const TEST = "?test=true&returnTo=/settings/sso";

/** The test login and its result. After a successful test, single sign-on can be required. */
export function SsoTrial({ configuration, reason }: TrialProps) {
  return (
    <Section
      title="3. Test it, then require it"
      about="A test goes to your provider and back, and shows what a login would do. It begins no session."
      act={
        configuration &&
        reason === undefined && (
          <a className="btn" href={`${new URL(configuration.loginUrl).pathname}${TEST}`}>
            Test login
          </a>
        )
      }
    >
      <div className="section-body">
        {configuration ? (
          <>
            {configuration.test && <TrialResult result={configuration.test} />}
            <CopyLine label="Sign in by it" text={configuration.loginUrl} />
            <Requirement configuration={configuration} reason={reason} />
          </>
        ) : (
          <p className="muted">Save first; the password stays open to everybody.</p>
        )}
      </div>
    </Section>
  );
}

function TrialResult({ result }: { readonly result: Result }) {
  const { succeeded, at, claims, account, errors } = result;
  return (
    <div className={succeeded ? "sso-result good" : "sso-result bad"} role="status">
      <p className="row sso-verdict">
        {succeeded ? <Check className="ico" /> : <X className="ico" />}
        <strong className="grow">{succeeded ? "A login works" : "A login would be refused"}</strong>
        <span className="muted">
          tested <Ago at={at} />
        </span>
      </p>
      {errors.map(({ code, message, detail }) => (
        <p key={code}>
          {message} <span className="muted">{detail}</span>
        </p>
      ))}
      <dl>
        {claims && (
          <>
            <dt>The provider says</dt>
            <dd>
              {claims.name}, {claims.email}
              {claims.roles.length > 0 && `, ${claims.roles.join(", ")}`}
            </dd>
          </>
        )}
        {account && (
          <>
            <dt>They would be</dt>
            <dd>{describeAccount(account)}</dd>
            <dt>With the roles</dt>
            <dd>{account.roles.join(", ")}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

function describeAccount({ kind, name, isOwn }: NonNullable<Result["account"]>): string {
  if (isOwn) return "You, as you are signed in now";
  return kind === "new" ? `${name}, a new member` : `${name}, a member already`;
}

function Requirement({
  configuration,
  reason,
}: Required<TrialProps> & { configuration: Configuration }) {
  const isRequired = configuration.enforceSSO;
  const isTested = configuration.test?.succeeded === true;
  const untested = isRequired || isTested ? undefined : "Test it first: a login has to work.";
  const enforce = useCommand("sso.enforce", {
    refusal: reason ?? untested,
    said: isRequired ? "Passwords open this workspace again." : "Single sign-on is required now.",
  });
  return (
    <div className="row sso-required">
      <p className="grow">
        {isRequired
          ? `Required of everybody: passwords and passkeys do not open ${place.workspace ?? "this workspace"}.`
          : "Passwords and passkeys open this workspace, too."}
      </p>
      <CommandButton
        command={enforce}
        onPress={() => void enforce.run({ body: { enforce: !isRequired } }, etagOf("sso.get"))}
      >
        {isRequired ? "No longer require it" : "Require it of everybody"}
      </CommandButton>
    </div>
  );
}
