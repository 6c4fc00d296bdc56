/* A person whose ledger is a file, on systems that have files. */
#include "inner.h"

int32_t sotto_person_open_file(sotto_person *person, const char *path, int32_t creates)
{
    if (person->ledger != NULL) return sotto__person_is_open(person);
    if (sotto_policy_fault(&person->policy, &person->fault) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_status status = creates ? sotto_ledger_file_create(path) : SOTTO_OK;
    if (status == SOTTO_E_EXISTS) status = SOTTO_OK;
    if (status == SOTTO_OK) status = sotto_ledger_file_open(path, &person->ledger);
    if (status == SOTTO_OK) return SOTTO_OK;
    bool known = sotto_ledger_file_fault(path, &person->fault) != SOTTO_OK;
    return sotto__person_answer(person, status, known);
}
