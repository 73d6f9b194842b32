/* bcryptprimitives.dll for versions of wine before 9, which lack it. Rust's standard library
 * imports one function of it. Used by scripts/cross.sh only. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length) {
    return SystemFunction036(buffer, (ULONG)length);
}
