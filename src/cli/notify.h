/** What systemd is told (sd_notify(3)): ready, how far, alive, stopping. */
#ifndef ARUS_CLI_NOTIFY_H
#define ARUS_CLI_NOTIFY_H

/** Sends `message`, lines of NAME=VALUE, to the manager that NOTIFY_SOCKET names; without one
 * nothing happens. A message that is lost is no failure. */
void arus_notify(const char *message);

#endif
