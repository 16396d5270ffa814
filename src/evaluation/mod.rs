//! What happens to a completion: splice, sandbox, test protocol, verdict, ledger, schedule.
