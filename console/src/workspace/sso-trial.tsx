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
      title="3. Test and require single sign-on"
      about="A test sign-in goes to your identity provider and shows the result. It does not start a session."
      act={
        configuration &&
        reason === undefined && (
          <a className="btn" href={`${new URL(configuration.loginUrl).pathname}${TEST}`}>
            Test sign-in
          </a>
        )
      }
    >
      <div className="section-body">
        {configuration ? (
          <>
            {configuration.test && <TrialResult result={configuration.test} />}
            <CopyLine label="Sign-in URL" text={configuration.loginUrl} />
            <Requirement configuration={configuration} reason={reason} />
          </>
        ) : (
          <p className="muted">
            Save the configuration first. Members can still sign in with their password.
          </p>
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
        <strong className="grow">{succeeded ? "Sign-in successful" : "Sign-in failed"}</strong>
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
            <dt>From the identity provider</dt>
            <dd>
              {claims.name}, {claims.email}
              {claims.roles.length > 0 && `, ${claims.roles.join(", ")}`}
            </dd>
          </>
        )}
        {account && (
          <>
            <dt>Account</dt>
            <dd>{describeAccount(account)}</dd>
            <dt>Roles</dt>
            <dd>{account.roles.join(", ")}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

function describeAccount({ kind, name, isOwn }: NonNullable<Result["account"]>): string {
  if (isOwn) return "Your own account";
  return kind === "new" ? `${name} (new member)` : `${name} (existing member)`;
}

function Requirement({
  configuration,
  reason,
}: Required<TrialProps> & { configuration: Configuration }) {
  const isRequired = configuration.enforceSSO;
  const isTested = configuration.test?.succeeded === true;
  const untested = isRequired || isTested ? undefined : "Run a successful test sign-in first.";
  const enforce = useCommand("sso.enforce", {
    refusal: reason ?? untested,
    said: isRequired ? "Single sign-on is now optional." : "Single sign-on is now required.",
  });
  return (
    <div className="row sso-required">
      <p className="grow">
        {isRequired
          ? `Required for all members: they can't sign in to ${place.workspace ?? "this workspace"} with passwords and passkeys.`
          : "Optional: members can also sign in with passwords and passkeys."}
      </p>
      <CommandButton
        command={enforce}
        onPress={() => void enforce.run({ body: { enforce: !isRequired } }, etagOf("sso.get"))}
      >
        {isRequired ? "Make optional" : "Require single sign-on"}
      </CommandButton>
    </div>
  );
}
