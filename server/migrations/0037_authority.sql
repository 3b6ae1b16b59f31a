-- Rights of what runs unattended: whoever saved or deployed it, within the credential that did.

alter table webhooks add column permissions text[];
update webhooks set saved_by = created_by where saved_by is null and created_by like 'usr\_%';

alter table connectors add column saved_by text collate "C", add column permissions text[];
update connectors set saved_by = created_by;
alter table connectors alter column saved_by set not null;

alter table app_deployments add column permissions text[];

-- Null for executions from before: only those who may read traces see what was in them.
alter table artifact_executions add column run_as text collate "C";

-- The secret in the address of a webhook handler. Those that exist are known to their senders by an address
-- without one, and keep it until their detail says otherwise.
alter table artifacts add column hook_token text collate "C";
update artifacts
   set hook_token = translate(encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'base64'), '+/=', '-_'),
       detail = detail || '{"openAddress": true}'
 where artifact_type = 'webhook_handler';
alter table artifacts
  add constraint artifacts_hook_token check ((artifact_type = 'webhook_handler') = (hook_token is not null));
